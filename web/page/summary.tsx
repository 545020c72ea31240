import type { ComponentChildren } from 'preact';
import { date, dayMonth, discountName, isoInstant, money } from './format.ts';
import type { DiscountView, LineView, LookView, PurchaseView } from './page-data.ts';
import { LATE, standingNames, worded } from './texts.ts';

/** So many lines show at once; the others open on demand. */
const LINES_SHOWN_MAX = 5;

export const Line = ({ line: { description, quantity, unitAmount, amount } }: { line: LineView }) => (
  <li>
    <span>
      {quantity === 1 ? description : `${quantity} × ${description}`}
      {quantity > 1 && <small>{money(unitAmount)} cada</small>}
    </span>
    <span class="value">{money(amount)}</span>
  </li>
);

const Discount = ({ discount }: { discount: DiscountView }) => (
  <li class="discount">
    <span>{discountName(discount)}</span>
    <span class="value">− {money(discount.amount)}</span>
  </li>
);

function Lines({ lines }: { lines: readonly LineView[] }) {
  const shown = lines.slice(0, LINES_SHOWN_MAX).map((line, index) => <Line key={index} line={line} />);
  const others = lines.slice(LINES_SHOWN_MAX).map((line, index) => <Line key={index} line={line} />);
  return (
    <>
      <ul class="lines">{shown}</ul>
      {others.length > 0 && (
        <details>
          <summary>
            Mais {others.length} {others.length === 1 ? 'item' : 'itens'}
          </summary>
          <ul class="lines">{others}</ul>
        </details>
      )}
    </>
  );
}

const statusOf = ({ standing, isLate }: PurchaseView): { kind: string; name: string } =>
  standing === 'payable' && isLate ? { kind: 'late', name: LATE } : { kind: standing, name: standingNames[standing] };

/** Who asks how much, and until when. */
export function Head({ purchase, look }: { purchase: PurchaseView; look: LookView }) {
  const { logo, isCovered } = look;
  const { merchant, amount, dueAt, kind: purchaseKind, renewsEvery, cardFor, isChargedLater = false } = purchase;
  const { kind, name } = statusOf(purchase);
  return (
    <section class={`summary head${isCovered ? ' covered' : ''}`} aria-labelledby="merchant">
      {logo !== null && <img class="logo" src={logo.source} width={logo.width} height={logo.height} alt={merchant} />}
      <h1 id="merchant">{merchant}</h1>
      {isChargedLater ? (
        <p class="amount">
          hoje {money(0)}; {money(amount)} em <time dateTime={isoInstant(dueAt)}>{dayMonth(dueAt)}</time>
        </p>
      ) : (
        <p class="amount">{money(amount)}</p>
      )}
      <p class="facts">
        <span class={`status ${kind}`}>{name}</span>
        {purchaseKind !== 'session' && purchase.isPaused !== true && cardFor === undefined && (
          <span>
            {purchaseKind === 'invoice' ? 'Vencimento' : 'Próxima cobrança'}{' '}
            <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>
          </span>
        )}
        {renewsEvery !== null && <span>Assinatura: renova a cada {renewsEvery}</span>}
      </p>
    </section>
  );
}

export function Discounts({ discounts, subtotal }: Pick<PurchaseView, 'discounts' | 'subtotal'>) {
  return (
    <ul class="lines sums">
      <li>
        <span>Subtotal</span>
        <span class="value">{money(subtotal)}</span>
      </li>
      {discounts.map((discount, index) => (
        <Discount key={index} discount={discount} />
      ))}
    </ul>
  );
}

/** What is paid for. On a phone it stands below the payment, on a desk beside it. */
export function Details({ purchase, children }: { purchase: PurchaseView; children?: ComponentChildren }) {
  const { description, lines, discounts, subtotal, total } = purchase;
  return (
    <section class="summary details" aria-label={worded(purchase.kind, 'Resumo da fatura')}>
      {description !== null && <p class="description">{description}</p>}
      <Lines lines={lines} />
      {discounts.length > 0 && <Discounts discounts={discounts} subtotal={subtotal} />}
      {(lines.length > 1 || discounts.length > 0) && (
        <p class="total">
          <span>Total</span>
          <span class="value">{money(total)}</span>
        </p>
      )}
      {purchase.notice != null && <p class="note">{purchase.notice}</p>}
      {children}
    </section>
  );
}
