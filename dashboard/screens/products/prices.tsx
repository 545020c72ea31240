import type { Price } from '@fatura/sdk';
import { useMay } from '../../api/may.ts';
import { useFatura, useReadList } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Panel } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { subscriptionTexts } from '../../texts/subscriptions.ts';
import { productTexts } from './texts.ts';

/** What it costs, in words: `R$ 99,90 por mês`. */
export function usePriceWords(): (price: Price) => string {
  const texts = useTexts(productTexts);
  const { every } = useTexts(subscriptionTexts);
  const { money } = useFormat();
  return ({ unit_amount: cents, recurring }) => {
    if (recurring === undefined) return texts.once(money(cents));
    return `${money(cents)} ${every(recurring.interval, recurring.interval_count)}`;
  };
}

/** Takes a price out of new purchases, or back into them. */
function Switch({ price: { id, active } }: { price: Price }) {
  const texts = useTexts(productTexts);
  const fatura = useFatura();
  const { run, isPending, error } = useAct(
    (wanted: boolean, options) => fatura.prices.update(id, { active: wanted }, options),
    { done: (changed) => (changed.active ? texts.priceActivated : texts.priceDeactivated) },
  );
  return (
    <>
      <Button kind="quiet" isPending={isPending} onPress={() => run(!active)}>
        {active ? texts.priceDeactivate : texts.priceActivate}
      </Button>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}

function useColumns(): readonly Column<Price>[] {
  const texts = useTexts(productTexts);
  const words = usePriceWords();
  const may = useMay();
  const columns: readonly Column<Price>[] = [
    { id: 'price', name: texts.price, isHead: true, show: (price) => <strong>{words(price)}</strong> },
    { id: 'name', name: texts.priceName, show: ({ description }) => description },
    {
      id: 'installments',
      name: texts.installments,
      show: ({ effective_max_card_installments: most }) => (most > 1 ? texts.upTo(most) : texts.atOnce),
    },
    { id: 'id', name: texts.id, show: ({ id }) => <Copyable text={id} name={texts.theId} /> },
    {
      id: 'status',
      name: texts.status,
      isCorner: true,
      show: ({ active }) => (
        <Status tone={active ? 'good' : 'off'}>{active ? texts.priceState.active : texts.priceState.inactive}</Status>
      ),
    },
  ];
  if (!may('prices.update')) return columns;
  return [
    ...columns,
    { id: 'switch', name: texts.status, isNameHidden: true, align: 'end', show: (price) => <Switch price={price} /> },
  ];
}

/** What a product costs, newest first. */
export function Prices({ product }: { product: string }) {
  const texts = useTexts(productTexts);
  const query = useReadList(['prices', product], (fatura, cursor, options) =>
    fatura.prices.list({ product_id: product, ...cursor }, options),
  );
  return (
    <Panel title={texts.prices}>
      <List label={texts.prices} query={query} columns={useColumns()} empty={<p>{texts.noPrices}</p>} />
    </Panel>
  );
}
