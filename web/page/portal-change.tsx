import { date, money } from './format.ts';
import type { PortalChangeView } from './portal-data.ts';
import { priceText } from './portal-words.ts';

/** What the rest of the period comes to, in a sentence; null: no money moves for it. */
function restText({ total, dueNow }: PortalChangeView): string | null {
  if (dueNow > 0) return `Você paga ${money(dueNow)} agora.`;
  if (total > 0) return `A diferença do período atual, de ${money(total)}, vem na próxima cobrança.`;
  return total < 0 ? `A diferença do período atual, de ${money(-total)}, vira crédito na próxima cobrança.` : null;
}

/** What another price comes to, before it is confirmed: as the change itself decides it. */
export function PortalChange({ change, home }: { change: PortalChangeView; home: string }) {
  const { subscription, name, price, at, isNow, total, next, penalty } = change;
  const rest = restText(change);
  return (
    <section class="part panel" aria-label="Confirme a mudança">
      <h2>
        {name} → {price.name}
      </h2>
      <p class="value">{priceText(price)}</p>
      <p>{isNow ? 'Vale a partir de agora.' : `Vale a partir de ${date(at)}.`}</p>
      {rest !== null && <p>{rest}</p>}
      {penalty > 0 && <p>Por causa da fidelidade, a mudança custa {money(penalty)}, que vêm na próxima cobrança.</p>}
      <p>
        Próxima cobrança: {money(next.amount)} em {date(next.at)}.
      </p>
      <form method="post" action={`${home}/subscriptions/${subscription}/prices/${price.id}`}>
        <input type="hidden" name="expected_total" value={String(total)} />
        <button type="submit" class="primary">
          Confirmar mudança
        </button>
      </form>
    </section>
  );
}
