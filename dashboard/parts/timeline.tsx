import type { Event } from '@fatura/sdk';
import type { ReactNode } from 'react';
import { useReadList } from '../api/queries.ts';
import { eventTexts } from '../texts/events.ts';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { paymentTexts } from '../texts/payments.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { ErrorNote } from './error-note.tsx';
import { LoadMore } from './load-more.tsx';
import { Pending } from './pending.tsx';
import type { Tone } from './status.tsx';
import { When } from './when.tsx';

/** One thing that happened. */
export interface Happening {
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly tone?: Tone;
}

/** What happened, newest first. */
export function Timeline({ label, happenings }: { label: string; happenings: readonly Happening[] }) {
  return (
    <ol className="timeline" aria-label={label}>
      {happenings.map(({ id, at, title, detail, tone = 'off' }) => (
        <li key={id} className={tone}>
          <div>
            <strong>{title}</strong>
            {detail !== undefined && detail !== '' && <span className="detail">{detail}</span>}
          </div>
          <When at={at} />
        </li>
      ))}
    </ol>
  );
}

function toneOf(type: Event['type']): Tone {
  if (/\.(?:paid|activated|reactivated|completed|funds_reinstated)$/.test(type)) return 'good';
  if (/failed$|\.(?:suspended|funds_withdrawn|marked_uncollectible)$|^dispute\.created$/.test(type)) return 'bad';
  return /\.(?:overdue|refunding|refunded|refund_failed)$|^refund\./.test(type) ? 'warn' : 'off';
}

/** Told already by what else happened at that instant. */
const TOLD_TWICE: readonly Event['type'][] = ['invoice.refunded', 'invoice.payment_failed'];

/** An event as people say it: with its amount, and with the bank's reason where it declined. */
function useHappening(): (event: Event) => Happening {
  const sentences = useTexts(eventTexts);
  const payments = useTexts(paymentTexts);
  const { money } = useFormat();
  return ({ id, type, created, data: { object } }) => {
    const amount = object.object === 'invoice' ? object.total : 'amount' in object ? object.amount : null;
    const isDecline = object.object === 'payment_intent' && type === 'payment_intent.failed';
    const reason = isDecline && object.decline_reason !== null ? payments.declines[object.decline_reason] : null;
    const detail = [typeof amount === 'number' ? money(amount) : null, reason]
      .filter((part) => part !== null)
      .join(' · ');
    const isReturned = type === 'refund.updated' && object.object === 'refund' && object.status === 'refunded';
    const title = isReturned ? payments.refundDone : sentences[type];
    return { id, at: created, title, detail, tone: toneOf(type) };
  };
}

/** All events of an object and of those that hang on it, page by page. */
export function EventTimeline({ of, label }: { of: string; label: string }) {
  const { parts } = useSharedTexts();
  const happening = useHappening();
  const query = useReadList(['events', of], (fatura, cursor, options) =>
    fatura.events.list({ related_object: of, ...cursor }, options),
  );
  const { data, error, refetch } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const events = data.pages.flatMap((page) => page.data);
  if (events.length === 0) return <p className="hint">{parts.nothingHappened}</p>;
  return (
    <>
      <Timeline label={label} happenings={events.filter(({ type }) => !TOLD_TWICE.includes(type)).map(happening)} />
      <LoadMore of={query} />
    </>
  );
}
