import type { CollectedInvoice, Fatura } from '@fatura/sdk';
import { type RefObject, useRef, useState } from 'react';
import { useFatura } from '../../api/queries.ts';
import type { SendOptions } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useErrorSentence } from '../../parts/error-note.tsx';
import { Choice } from '../../parts/field.tsx';
import { Money } from '../../parts/money.tsx';
import { dayOf, secondsOfDays } from '../../parts/period.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { collectionTexts } from './texts.ts';
import { type Outcome, useBulk } from './use-bulk.ts';

export type BulkKind = 'send' | 'extend' | 'forgive';

const DAYS = ['3', '7', '15', '30'] as const;

/** The last second of the day that is so many days ahead. */
const endOfDay = (now: number, days: number): number => {
  const day = dayOf(now).add({ days });
  return secondsOfDays({ from: day, until: day }).lte;
};

const acts: Readonly<
  Record<BulkKind, (fatura: Fatura, id: string, more: { dueAt: number; options: SendOptions }) => PromiseLike<unknown>>
> = {
  send: (fatura, id, { options }) => fatura.invoices.send(id, options),
  extend: (fatura, id, { dueAt, options }) => fatura.invoices.extend(id, { due_at: dueAt }, options),
  forgive: (fatura, id, { options }) => fatura.invoices.markUncollectible(id, options),
};

function Told({ outcome }: { outcome: Outcome }) {
  const { bulk } = useTexts(collectionTexts);
  const sentence = useErrorSentence();
  if (outcome.state === 'refused') return <span className="told bad">{sentence(outcome.error)}</span>;
  return <span className={`told ${outcome.state === 'done' ? 'good' : 'soft'}`}>{bulk[outcome.state]}</span>;
}

/** What is to be done with which invoices, as they were when it was asked for. */
export interface BulkOrder {
  readonly kind: BulkKind;
  readonly rows: readonly CollectedInvoice[];
  readonly now: number;
}

interface BulkProps {
  readonly order: BulkOrder;
  /** True while it runs: the window that tells the outcomes stays. */
  readonly isBusy: RefObject<boolean>;
  readonly onClose: () => void;
}

function Bulk({ order: { kind, rows, now }, isBusy, onClose }: BulkProps) {
  const { bulk } = useTexts(collectionTexts);
  const { parts } = useSharedTexts();
  const { date } = useFormat();
  const fatura = useFatura();
  const [days, setDays] = useState<(typeof DAYS)[number]>('7');
  const dueAt = endOfDay(now, Number(days));
  const { run, isRunning, outcomeOf, done, refused } = useBulk(
    rows.map(({ id }) => id),
    (id, options) => acts[kind](fatura, id, { dueAt, options }),
  );
  isBusy.current = isRunning;
  const hasBegun = isRunning || done + refused > 0;
  const isOver = !isRunning && hasBegun && refused === 0;
  return (
    <>
      <div className="dialog-body">
        <p>{bulk[`${kind}Text`]}</p>
        {kind === 'extend' && !hasBegun && (
          <Choice
            label={bulk.newDue}
            value={days}
            options={DAYS.map((one) => [one, bulk.inDays(Number(one), date(endOfDay(now, Number(one))))] as const)}
            onChange={setDays}
          />
        )}
        <ul className="lines bulk" aria-label={bulk[kind]}>
          {rows.map((row) => (
            <li key={row.id}>
              <span>
                {row.customer_name} · <Money cents={row.amount_remaining} />
              </span>
              {hasBegun && <Told outcome={outcomeOf(row.id)} />}
            </li>
          ))}
        </ul>
        {hasBegun && <p role="status">{bulk.progress(done, rows.length)}</p>}
      </div>
      <div className="dialog-foot">
        {!isOver && !isRunning && <Button onPress={onClose}>{hasBegun ? parts.close : parts.cancel}</Button>}
        {isOver ? (
          <Button kind="primary" onPress={onClose}>
            {bulk.close}
          </Button>
        ) : (
          <Button kind={kind === 'forgive' ? 'danger' : 'primary'} isPending={isRunning} onPress={() => void run()}>
            {isRunning ? parts.working : hasBegun ? bulk.again(refused) : bulk.go(bulk[kind], rows.length)}
          </Button>
        )}
      </div>
    </>
  );
}

/** Asks before the same is done with several invoices, and tells of each what became of it. */
export function BulkDialog({ order, onClose }: { order: BulkOrder | null; onClose: () => void }) {
  const { bulk } = useTexts(collectionTexts);
  const isBusy = useRef(false);
  const close = (): void => {
    if (!isBusy.current) onClose();
  };
  return (
    <Dialog title={order === null ? '' : bulk[order.kind]} isOpen={order !== null} onClose={close} isAlert>
      {order !== null && <Bulk order={order} isBusy={isBusy} onClose={close} />}
    </Dialog>
  );
}
