import type { CollectedInvoice } from '@fatura/sdk';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useReadList } from '../../api/queries.ts';
import { type Action, ActionMenu } from '../../parts/action-menu.tsx';
import { Button } from '../../parts/button.tsx';
import { Tick } from '../../parts/field.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { isTyping } from '../../parts/list-keys.ts';
import { Money } from '../../parts/money.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { BulkDialog, type BulkKind, type BulkOrder } from './bulk-dialog.tsx';
import { collectionTexts } from './texts.ts';

interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly set: (ids: readonly string[]) => void;
}

function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void =>
    setIds((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return { ids, toggle, set: (wanted) => setIds(new Set(wanted)) };
}

/** X selects the row that J and K have walked to. */
function useSelectKey(place: RefObject<HTMLElement | null>, toggle: (id: string) => void): void {
  useEffect(() => {
    const select = (event: KeyboardEvent): void => {
      if (event.key !== 'x' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const row = document.activeElement;
      if (!(row instanceof HTMLAnchorElement) || !row.classList.contains('row-link')) return;
      const id = row.pathname.split('/').at(-1);
      if (id !== undefined && place.current?.contains(row) === true) toggle(id);
    };
    document.addEventListener('keydown', select);
    return () => document.removeEventListener('keydown', select);
  });
}

function NextStep({ next_step: step, next_step_at: at }: CollectedInvoice) {
  const texts = useTexts(collectionTexts);
  if (step === null) return <>{texts.noStep}</>;
  return (
    <span className="person">
      <span>{texts.steps[step]}</span>
      <small>
        <When at={at} />
      </small>
    </span>
  );
}

function useColumns({ ids, toggle }: Selection): readonly Column<CollectedInvoice>[] {
  const texts = useTexts(collectionTexts);
  return [
    {
      id: 'select',
      name: texts.select,
      show: ({ id, customer_name: name }) => (
        <Tick isSelected={ids.has(id)} onChange={() => toggle(id)}>
          <span className="visually-hidden">{texts.selectOne(name)}</span>
        </Tick>
      ),
    },
    { id: 'customer', name: texts.customer, isHead: true, show: ({ customer_name: name }) => name },
    {
      id: 'due',
      name: texts.due,
      show: ({ due_at: at, days_late: days }) => (
        <span className="person">
          <When at={at} as="date" />
          <small>{texts.late(days)}</small>
        </span>
      ),
    },
    {
      id: 'amount',
      name: texts.amount,
      align: 'end',
      isCorner: true,
      show: ({ amount_remaining: cents }) => <Money cents={cents} />,
    },
    { id: 'next', name: texts.what, show: (row) => <NextStep {...row} /> },
    {
      id: 'subscription',
      name: texts.subscription,
      show: ({ subscription }) =>
        subscription === null ? texts.alone : <ObjectLink id={subscription}>{texts.open}</ObjectLink>,
    },
  ];
}

/** What can be done with those selected; what cannot says why. */
function BulkMenu({ isAny, ask }: { isAny: boolean; ask: (kind: BulkKind) => void }) {
  const { bulk } = useTexts(collectionTexts);
  const role = useRoleRefusal();
  const none = isAny ? null : bulk.none;
  const operations = {
    send: 'invoices.send',
    extend: 'invoices.extend',
    forgive: 'invoices.markUncollectible',
  } as const;
  const actions: Action[] = (Object.keys(operations) as BulkKind[]).map((kind) => ({
    id: kind,
    name: bulk[kind],
    run: () => ask(kind),
    refused: role(operations[kind]) ?? none,
    isDanger: kind === 'forgive',
  }));
  return <ActionMenu label={bulk.label} actions={actions} />;
}

interface LateListProps {
  readonly stage: string;
  readonly name: string;
  readonly now: number;
}

/** The invoices of a stage, and what is done with several of them at once. */
export function LateList({ stage, name, now }: LateListProps) {
  const texts = useTexts(collectionTexts);
  const { money } = useFormat();
  const place = useRef<HTMLElement>(null);
  const selection = useSelection();
  const [asking, setAsking] = useState<BulkOrder | null>(null);
  useSelectKey(place, selection.toggle);
  const query = useReadList(['collection', stage], (fatura, cursor, options) =>
    fatura.collection.listInvoices({ stage, ...cursor }, options),
  );
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const selected = rows.filter(({ id }) => selection.ids.has(id));
  const sum = selected.reduce((cents, row) => cents + row.amount_remaining, 0);
  const close = (): void => {
    setAsking(null);
    selection.set([]);
  };
  return (
    <section ref={place} className="late" aria-label={texts.list(name)}>
      {rows.length > 0 && (
        <div className="bulk-bar">
          <Button kind="quiet" onPress={() => selection.set(rows.map(({ id }) => id))}>
            {texts.selectAll}
          </Button>
          <span role="status">{selected.length > 0 && texts.selected(String(selected.length), money(sum))}</span>
          <BulkMenu isAny={selected.length > 0} ask={(kind) => setAsking({ kind, rows: selected, now })} />
        </div>
      )}
      <List
        label={texts.list(name)}
        query={query}
        columns={useColumns(selection)}
        link={({ id }) => ({ to: '/invoices/$id', params: { id } })}
        empty={<p>{texts.empty}</p>}
        footer={() => <p className="soft keys-hint">{texts.selectKey}</p>}
      />
      <BulkDialog order={asking} onClose={close} />
    </section>
  );
}
