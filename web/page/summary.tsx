import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isoInstant } from './format.ts';
import { type Spoken, useSpoken } from './language.ts';
import type { DiscountView, LineView, LookView, PurchaseView } from './page-data.ts';
import { brandNames } from './texts.ts';

/** So many lines show at once; the others open on demand. */
const LINES_SHOWN_MAX = 5;

export function Line({ line: { description, quantity, unitAmount, amount } }: { line: LineView }) {
  const { texts, money } = useSpoken();
  return (
    <li>
      <span>
        {quantity === 1 ? description : `${quantity} × ${description}`}
        {quantity > 1 && <small>{texts.summary.each(money(unitAmount))}</small>}
      </span>
      <span class="value">{money(amount)}</span>
    </li>
  );
}

function Discount({ discount }: { discount: DiscountView }) {
  const { discountName, money } = useSpoken();
  return (
    <li class="discount">
      <span>{discountName(discount)}</span>
      <span class="value">− {money(discount.amount)}</span>
    </li>
  );
}

function Lines({ lines }: { lines: readonly LineView[] }) {
  const { texts } = useSpoken();
  const shown = lines.slice(0, LINES_SHOWN_MAX).map((line, index) => <Line key={index} line={line} />);
  const others = lines.slice(LINES_SHOWN_MAX).map((line, index) => <Line key={index} line={line} />);
  return (
    <>
      <ul class="lines">{shown}</ul>
      {others.length > 0 && (
        <details>
          <summary>{texts.summary.more(others.length)}</summary>
          <ul class="lines">{others}</ul>
        </details>
      )}
    </>
  );
}

/** How it stands, in a word; in a shop nothing is called open. */
function statusOf({ texts }: Spoken, { standing, isLate, kind }: PurchaseView): { kind: string; name: string } | null {
  if (standing === 'payable' && isLate) return { kind: 'late', name: texts.late };
  const isAsked = standing === 'buyer' || standing === 'payable' || standing === 'card_needed';
  return kind === 'session' && isAsked ? null : { kind: standing, name: texts.standings[standing] };
}

/** When it is due, or comes next. */
function DueDay({ purchase: { kind, dueAt, isPaused, cardFor } }: { purchase: PurchaseView }) {
  const { texts, date } = useSpoken();
  if (kind === 'session' || isPaused === true || cardFor !== undefined) return null;
  return (
    <span>
      {kind === 'invoice' ? texts.summary.due : texts.summary.next}{' '}
      <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>
    </span>
  );
}

function Renews({ renewal }: Pick<PurchaseView, 'renewal'>) {
  const { texts, money } = useSpoken();
  if (renewal === null) return null;
  const { every, amount, isBound } = renewal;
  return (
    <span>
      {texts.summary.renews(every, money(amount))}
      {!isBound && ` ${texts.summary.free}`}
    </span>
  );
}

/** Who asks how much, and until when. */
export function Head({ purchase, look: { logo, isCovered } }: { purchase: PurchaseView; look: LookView }) {
  const spoken = useSpoken();
  const { texts, money, dayMonth } = spoken;
  const { merchant, amount, dueAt, isChargedLater = false } = purchase;
  const status = statusOf(spoken, purchase);
  return (
    <section class={`summary head${isCovered ? ' covered' : ''}`} aria-labelledby="merchant">
      {logo !== null && <img class="logo" src={logo.source} width={logo.width} height={logo.height} alt={merchant} />}
      <h1 id="merchant">{merchant}</h1>
      {isChargedLater ? (
        <p class="amount">
          {texts.summary.today(money(0), money(amount))}
          <time dateTime={isoInstant(dueAt)}>{dayMonth(dueAt)}</time>
        </p>
      ) : (
        <p class="amount">{money(amount)}</p>
      )}
      <p class="facts">
        {status !== null && <span class={`status ${status.kind}`}>{status.name}</span>}
        <DueDay purchase={purchase} />
        <Renews renewal={purchase.renewal} />
      </p>
    </section>
  );
}

export function Discounts({ discounts, subtotal }: Pick<PurchaseView, 'discounts' | 'subtotal'>) {
  const { texts, money } = useSpoken();
  return (
    <ul class="lines sums">
      <li>
        <span>{texts.summary.subtotal}</span>
        <span class="value">{money(subtotal)}</span>
      </li>
      {discounts.map((discount, index) => (
        <Discount key={index} discount={discount} />
      ))}
    </ul>
  );
}

/** What is paid for, and what it comes to. */
function Items({ purchase: { lines, discounts, subtotal, total } }: { purchase: PurchaseView }) {
  const { texts, money } = useSpoken();
  return (
    <>
      <Lines lines={lines} />
      {discounts.length > 0 && <Discounts discounts={discounts} subtotal={subtotal} />}
      {(lines.length > 1 || discounts.length > 0) && (
        <p class="total">
          <span>{texts.summary.total}</span>
          <span class="value">{money(total)}</span>
        </p>
      )}
    </>
  );
}

const ITEMS = 'items';

/** On a phone several lines are folded, so that the payment stands on the first screen; on a desk they always show. */
function Folded({ purchase }: { purchase: PurchaseView }) {
  const { texts } = useSpoken();
  const { lines, discounts } = purchase;
  const [isOpen, open] = useState(false);
  if (lines.length + discounts.length < 2) return <Items purchase={purchase} />;
  return (
    <>
      <button
        type="button"
        class="fold scripted"
        aria-expanded={isOpen}
        aria-controls={ITEMS}
        onClick={() => open(!isOpen)}
      >
        {texts.summary.items(lines.length)}
      </button>
      <div id={ITEMS} class={isOpen ? 'items' : 'items folded'}>
        <Items purchase={purchase} />
      </div>
    </>
  );
}

function Suspended({ suspended }: Pick<PurchaseView, 'suspended'>) {
  const { texts } = useSpoken();
  if (suspended == null) return null;
  const { brand, last4, reason } = suspended;
  const { theCard, ending } = texts.renewal;
  const parts = [theCard, ...(brand === null ? [] : [brandNames[brand]]), ...(last4 === null ? [] : [ending(last4)])];
  const card = reason === null && last4 === null ? null : parts.join(' ');
  return (
    <p class="suspended">{texts.summary.suspended(card, reason === null ? null : texts.declines[reason].short)}</p>
  );
}

/** What is paid for: on a phone between the amount and the payment, on a desk beside it. */
export function Details({ purchase, children }: { purchase: PurchaseView; children?: ComponentChildren }) {
  const { language, texts, of } = useSpoken();
  const { description, notice } = purchase;
  return (
    <section class="summary details" aria-label={of(purchase, texts.summary.label)}>
      <Suspended suspended={purchase.suspended} />
      {description !== null && <p class="description">{description}</p>}
      <Folded purchase={purchase} />
      {notice != null && <p class="note">{notice[language]}</p>}
      {children}
    </section>
  );
}
