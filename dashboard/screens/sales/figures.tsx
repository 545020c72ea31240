import type { Summary } from '@fatura/sdk';
import { parseDate } from '@internationalized/date';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Money } from '../../parts/money.tsx';
import { Pending } from '../../parts/pending.tsx';
import { localeOf } from '../../texts/catalogue.ts';
import { TIME_ZONE, useFormat } from '../../texts/format.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { salesTexts } from './texts.ts';

const EVERY_MS = 60_000;

function Figure({ name, cents, children }: { name: string; cents: number; children: ReactNode }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <strong>
          <Money cents={cents} />
        </strong>
        {children}
      </dd>
    </div>
  );
}

/** What was received beside the same weekday of the week before. */
function Compared({ received, compared }: Pick<Summary, 'received' | 'compared'>) {
  const texts = useTexts(salesTexts);
  const { percent } = useFormat();
  const locale = localeOf[useLanguage().language];
  const date = parseDate(compared.date).toDate(TIME_ZONE);
  const day = texts.lastWeek(new Intl.DateTimeFormat(locale, { timeZone: TIME_ZONE, weekday: 'long' }).format(date));
  const before = compared.received.total;
  if (before === 0) return <small>{texts.nothingThen(day)}</small>;
  const change = (received.total - before) / before;
  if (change === 0) return <small>{texts.same(day)}</small>;
  const share = percent(Math.abs(change));
  return (
    <small className={change > 0 ? 'up' : 'down'}>{change > 0 ? texts.more(share, day) : texts.less(share, day)}</small>
  );
}

/** Four figures of today: what came in, what is due, what went back, what failed. */
export function Figures() {
  const texts = useTexts(salesTexts);
  const { money } = useFormat();
  const { data, error, refetch } = useRead(['summary'], (fatura, options) => fatura.summary.retrieve({}, options), {
    everyMs: EVERY_MS,
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const { received, due_today: due, refunded, failed } = data;
  return (
    <section aria-label={texts.figures}>
      <dl className="figures">
        <Figure name={texts.received} cents={received.total}>
          <small>{texts.byPix(money(received.pix))}</small>
          <small>{texts.byCard(money(received.card))}</small>
          <Compared {...data} />
        </Figure>
        <Figure name={texts.dueToday} cents={due.amount}>
          <small>{texts.invoices(due.count)}</small>
        </Figure>
        <Figure name={texts.refunded} cents={refunded.amount}>
          <small>{texts.refunds(refunded.count)}</small>
        </Figure>
        <Figure name={texts.failed} cents={failed.amount}>
          <small>{texts.declines(failed.count)}</small>
        </Figure>
      </dl>
    </section>
  );
}
