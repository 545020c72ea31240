import type { PortalChangeView } from './portal-data.ts';
import { type PortalSpoken, usePortal } from './portal-language.ts';

/** What the rest of the period comes to, in a sentence; null: no money moves for it. */
function restText({ words: { change }, money }: PortalSpoken, { total, dueNow }: PortalChangeView): string | null {
  if (dueNow > 0) return change.dueNow(money(dueNow));
  if (total > 0) return change.onNext(money(total));
  return total < 0 ? change.credit(money(-total)) : null;
}

/** What another price comes to, before it is confirmed: as the change itself decides it. */
export function PortalChange({ change, home }: { change: PortalChangeView; home: string }) {
  const spoken = usePortal();
  const { words, money, date, kept } = spoken;
  const { change: said } = words;
  const { subscription, name, price, at, isNow, total, next, penalty } = change;
  const rest = restText(spoken, change);
  return (
    <section class="part panel" aria-label={said.label}>
      <h2>
        {name} → {price.name}
      </h2>
      <p class="value">{words.price(money(price.amount), price.every)}</p>
      <p>{isNow ? said.now : said.from(date(at))}</p>
      {rest !== null && <p>{rest}</p>}
      {penalty > 0 && <p>{said.penalty(money(penalty))}</p>}
      <p>{words.subscription.next(money(next.amount), date(next.at))}</p>
      <form method="post" action={kept(`${home}/subscriptions/${subscription}/prices/${price.id}`)}>
        <input type="hidden" name="expected_total" value={String(total)} />
        <button type="submit" class="primary">
          {said.sure}
        </button>
      </form>
    </section>
  );
}
