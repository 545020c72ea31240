import type { StoredPaymentMethod } from '@fatura/sdk';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura, useReadList } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Status } from '../../parts/status.tsx';
import { useTexts } from '../../texts/language.tsx';
import { cardTexts } from './card-texts.ts';

const brandNames = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  elo: 'Elo',
  hipercard: 'Hipercard',
} as const;

const nameOf = ({ card: { brand, last4 } }: StoredPaymentMethod): string => `${brandNames[brand]} •••• ${last4}`;

const MONTH_DIGITS = 2;

const expiryOf = ({ card: { exp_month: month, exp_year: year } }: StoredPaymentMethod): string =>
  `${String(month).padStart(MONTH_DIGITS, '0')}/${year}`;

function OneCard({ card }: { card: StoredPaymentMethod }) {
  const texts = useTexts(cardTexts);
  const fatura = useFatura();
  const refusedTo = useRoleRefusal();
  const [isAsking, setAsking] = useState(false);
  const choose = useAct((id: string, options) => fatura.paymentMethods.setDefault(id, options), {
    done: texts.isDefault,
  });
  const uses = card.subscriptions?.length ?? 0;
  const actions = [
    {
      id: 'default',
      name: texts.makeDefault,
      run: () => choose.run(card.id),
      refused: refusedTo('paymentMethods.setDefault') ?? (card.is_default ? texts.isDefault : null),
    },
    {
      id: 'delete',
      name: texts.delete,
      run: () => setAsking(true),
      refused: refusedTo('paymentMethods.delete') ?? (uses > 0 ? texts.inUse : null),
      isDanger: true,
    },
  ];
  return (
    <li className="panel noted">
      <p>
        <strong>{nameOf(card)}</strong> {card.is_default && <Status tone="good">{texts.default}</Status>}{' '}
        {card.closed_at !== null && <Status tone="bad">{texts.closed}</Status>}
      </p>
      <small className="soft">
        {texts.expires(expiryOf(card))} · {texts.uses(uses)}
      </small>
      {choose.error !== null && <ErrorNote error={choose.error} />}
      <ActionMenu actions={actions} of={nameOf(card)} />
      <Confirm
        title={texts.deleteTitle(nameOf(card))}
        action={texts.delete}
        act={(options) => fatura.paymentMethods.delete(card.id, options)}
        done={texts.deleted}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      >
        <p>{texts.deleteText}</p>
      </Confirm>
    </li>
  );
}

/** The cards that a customer left, and what is done with each. */
export function StoredCards({ id }: { id: string }) {
  const texts = useTexts(cardTexts);
  const query = useReadList(['payment_methods', id], (fatura, cursor, options) =>
    fatura.paymentMethods.list(id, cursor, options),
  );
  const { data, error, refetch } = query;
  const cards = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Panel title={texts.title}>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Pending />}
      {data !== undefined && cards.length === 0 && <p className="soft">{texts.none}</p>}
      <ul className="stack" aria-label={texts.title}>
        {cards.map((card) => (
          <OneCard key={card.id} card={card} />
        ))}
      </ul>
      <LoadMore of={query} />
    </Panel>
  );
}
