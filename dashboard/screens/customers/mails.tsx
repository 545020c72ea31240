import type { Mail, MailStatus } from '@fatura/sdk';
import { useReadList } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Status, type Tone } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { customerTexts } from './texts.ts';

const tones: Readonly<Record<MailStatus, Tone>> = {
  queued: 'calm',
  sent: 'good',
  kept: 'off',
  held: 'warn',
  dropped: 'off',
  failed: 'bad',
};

function OneMail({ mail: { subject, text, status, reason, created } }: { mail: Mail }) {
  const texts = useTexts(customerTexts);
  return (
    <details className="panel mail">
      <summary>
        <span className="mail-head">
          <strong>{subject ?? texts.mailErased}</strong>
          <Status tone={tones[status]}>{texts.mails[status]}</Status>
          <When at={created} />
        </span>
      </summary>
      {reason !== null && <p className="soft">{reason}</p>}
      <pre>{text ?? texts.mailErased}</pre>
    </details>
  );
}

/** What was written to a customer, as it was sent. */
export function CustomerMails({ id }: { id: string }) {
  const texts = useTexts(customerTexts);
  const query = useReadList(['mails', id], (fatura, cursor, options) =>
    fatura.mails.list({ customer_id: id, ...cursor }, options),
  );
  const { data, error, refetch } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const mails = data.pages.flatMap((page) => page.data);
  if (mails.length === 0) return <p className="empty">{texts.noMails}</p>;
  return (
    <>
      {mails.map((mail) => (
        <OneMail key={mail.id} mail={mail} />
      ))}
      <LoadMore of={query} />
    </>
  );
}
