import type { Delivery, DeliveryAttempt } from '@fatura/sdk';
import { type Column, Rows } from '../../../parts/list.tsx';
import { When } from '../../../parts/when.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { LadderBadge } from './status.tsx';
import { webhookTexts } from './texts.ts';

type Outcome = Pick<DeliveryAttempt, 'status_code' | 'failure' | 'detail' | 'answer'>;

/** What a receiver answered, or why nothing came. */
export function AnswerOf({ status_code: code, failure, detail, answer }: Outcome) {
  const texts = useTexts(webhookTexts);
  const why = failure === null || failure === 'http_status' ? null : texts.failures[failure];
  return (
    <span className="answer">
      <strong className={failure === null ? 'good' : 'bad'}>{code ?? texts.noAnswer}</strong>
      {why !== null && <span>{why}</span>}
      {failure !== null && failure !== 'http_status' && detail !== null && <small className="soft">{detail}</small>}
      {answer !== null && <code>{answer}</code>}
    </span>
  );
}

type AttemptRow = DeliveryAttempt & { readonly id: string };

function useAttemptColumns(): readonly Column<AttemptRow>[] {
  const texts = useTexts(webhookTexts);
  return [
    { id: 'number', name: texts.attempt, show: ({ attempt }) => attempt },
    { id: 'at', name: texts.attemptAt, show: ({ at }) => <When at={at} /> },
    { id: 'answer', name: texts.code, show: (attempt) => <AnswerOf {...attempt} /> },
    {
      id: 'duration',
      name: texts.duration,
      align: 'end',
      isCorner: true,
      show: ({ duration_ms }) => <span className="duration">{texts.ms(duration_ms)}</span>,
    },
  ];
}

/** One sending of an event to an endpoint: its attempts, and when the next one is due. */
function OneLadder({ delivery: { ladder, status, attempts, next_attempt: next } }: { delivery: Delivery }) {
  const texts = useTexts(webhookTexts);
  const columns = useAttemptColumns();
  const name = ladder === 1 ? texts.firstSending : texts.resending(ladder - 1);
  const rows = attempts.map((attempt) => ({ ...attempt, id: String(attempt.attempt) }));
  return (
    <div className="ladder">
      <p className="payment-head">
        <strong>{name}</strong>
        <LadderBadge status={status} />
        {next !== null && (
          <span>
            {texts.nextAttempt} <When at={next} />
          </span>
        )}
      </p>
      {rows.length === 0 ? (
        <p className="soft">{texts.noAttempts}</p>
      ) : (
        <Rows label={`${texts.attempts}: ${name}`} rows={rows} columns={columns} hasOwnKeys={false} />
      )}
    </div>
  );
}

/** Every sending of an event to an endpoint, newest first. */
export function Ladders({ ladders }: { ladders: readonly Delivery[] }) {
  return (
    <>
      {ladders.map((delivery) => (
        <OneLadder key={`${delivery.webhook_endpoint} ${delivery.ladder}`} delivery={delivery} />
      ))}
    </>
  );
}
