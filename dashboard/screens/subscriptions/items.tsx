import type { Subscription } from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';
import { ObjectLink } from '../../parts/object-link.tsx';
import { usePriceText } from '../../parts/subscription.tsx';
import { useTexts } from '../../texts/language.tsx';
import { subscriptionsTexts } from './texts.ts';

/** What is sold; few products have many subscriptions, so each is read once. */
function ProductName({ id }: { id: string }) {
  const { data } = useRead(['products', id], (fatura, options) => fatura.products.retrieve(id, options));
  return <>{data === undefined ? '…' : data.name}</>;
}

/** The first item of a subscription, and how many more there are. */
export function FirstItem({ items: { data } }: Pick<Subscription, 'items'>) {
  const texts = useTexts(subscriptionsTexts);
  const priceText = usePriceText();
  const [item] = data;
  if (item === undefined) return null;
  return (
    <span className="person">
      <ProductName id={item.price.product} />
      <small>
        {priceText(item)}
        {data.length > 1 && ` · ${texts.moreItems(data.length - 1)}`}
      </small>
    </span>
  );
}

/** All items of a subscription; each leads to its product. */
export function Items({ items }: Pick<Subscription, 'items'>) {
  const priceText = usePriceText();
  return (
    <ul>
      {items.data.map((item) => (
        <li key={item.id} className="person">
          <ObjectLink id={item.price.product}>
            <ProductName id={item.price.product} />
          </ObjectLink>
          <span>{priceText(item)}</span>
        </li>
      ))}
    </ul>
  );
}
