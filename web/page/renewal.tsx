import { useEffect, useRef, useState } from 'preact/hooks';
import { Card } from './card.tsx';
import { Consent } from './consent-note.tsx';
import { isoInstant } from './format.ts';
import { type Spoken, useSpoken } from './language.ts';
import { MethodChoice, NoMethod } from './method-choice.tsx';
import type { LookView, Method, PurchaseView, TestCard } from './page-data.ts';
import { PixAutomatico } from './pix.tsx';
import { Sign } from './standing.tsx';
import type { Texts } from './texts/pt.ts';
import { brandNames, problemText } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';

type RenewedBy = NonNullable<PurchaseView['renewedBy']>;

/** `Visa final 4242` */
function cardParts({ renewal }: Texts, { brand, last4 }: Extract<RenewedBy, { method: 'card' }>): string[] {
  return [...(brand === null ? [] : [brandNames[brand]]), ...(last4 === null ? [] : [renewal.ending(last4)])];
}

/** `no cartão Visa final 4242`, `por PIX`, `por Pix Automático`. */
function wayOf(texts: Texts, renewedBy: RenewedBy): string {
  const { renewal } = texts;
  if (renewedBy.method !== 'card') return renewedBy.method === 'pix' ? renewal.byPix : renewal.byMandate;
  return [renewal.byCard, ...cardParts(texts, renewedBy)].join(' ');
}

/** `cartão Visa final 4242`, `PIX` */
function nameOf(texts: Texts, renewedBy: RenewedBy): string {
  if (renewedBy.method !== 'card') return texts.methodNames[renewedBy.method];
  return [texts.renewal.theCard, ...cardParts(texts, renewedBy)].join(' ');
}

/** What becomes of the card that is asked for. */
function ForCard({ purchase: { cardFor, amount, dueAt, renewedBy } }: { purchase: PurchaseView }) {
  const { texts, money, date } = useSpoken();
  const { renewal: words } = texts;
  if (cardFor === 'now') return <p class="today">{words.comesBack(money(amount))}</p>;
  return (
    <p class="today">
      {renewedBy !== null && words.kept(wayOf(texts, renewedBy))}
      {words.nothingToday}
      <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>
      {words.charged(money(amount))}
    </p>
  );
}

function Today({ purchase: { renewedBy, dueAt, isPaused } }: { purchase: PurchaseView }) {
  const { texts, date } = useSpoken();
  const { renewal: words } = texts;
  return (
    <p class="today">
      {renewedBy !== null && `${words.current}${nameOf(texts, renewedBy)}. `}
      {isPaused !== true && (
        <>
          {words.next}
          <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>.
        </>
      )}
    </p>
  );
}

/** Ends the mandate, from when each bill is paid by its code; works without a script. */
function EndMandate({ checkout: { makeQr, busy, failure } }: { checkout: Checkout }) {
  const { texts } = useSpoken();
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void makeQr();
  };
  return (
    <>
      {failure?.action === 'pix' && <Trouble text={problemText(texts, failure.problem)} isNews />}
      <p>{texts.mandate.authorised}</p>
      <form class="new-code" method="post" onSubmit={onSubmit}>
        <button type="submit" class="secondary" aria-disabled={busy !== null}>
          {busy === 'pix' ? texts.mandate.ending : texts.mandate.end}
        </button>
      </form>
    </>
  );
}

/** By PIX from now on; works without a script. */
function ToPix({ checkout: { makeQr, busy, failure, purchase } }: { checkout: Checkout }) {
  const { texts } = useSpoken();
  const { renewal: words } = texts;
  if (purchase.renewedBy?.method === 'pix') return <p>{words.isPix}</p>;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void makeQr();
  };
  return (
    <>
      {failure?.action === 'pix' && <Trouble text={problemText(texts, failure.problem)} isNews />}
      <form class="new-code" method="post" onSubmit={onSubmit}>
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === 'pix' ? words.turning : words.toPix}
        </button>
      </form>
      <p class="note">{words.toPixNote}</p>
    </>
  );
}

function Changed({ renewedBy, text }: { renewedBy: RenewedBy; text: string | null }) {
  const { texts, again } = useSpoken();
  const { renewal: words } = texts;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <section class="panel closed" aria-labelledby="changed">
      <Sign sign="done" />
      <h2 id="changed" tabIndex={-1} ref={title}>
        {words.ready}
      </h2>
      <p>{text ?? words.changed(wayOf(texts, renewedBy))}</p>
      <p>
        <a href={again}>{words.again}</a>
      </p>
    </section>
  );
}

/** What the card has done, by what it was asked for. */
function doneText({ texts, money, date }: Spoken, { cardFor, amount, dueAt }: PurchaseView): string | null {
  const { renewal: words } = texts;
  if (cardFor === undefined) return null;
  if (cardFor === 'now') return words.resumed;
  return `${cardFor === 'trial' ? words.trialBegan : words.cardKept} ${words.later(date(dueAt), money(amount))}`;
}

interface WaysProps {
  readonly checkout: Checkout;
  readonly testCards: readonly TestCard[];
  readonly methods: readonly Method[];
  readonly method: Method;
}

/** What is asked for by each method, of which one shows. */
const Ways = ({ checkout, testCards, methods, method }: WaysProps) => (
  <>
    {methods.includes('card') && (
      <div class="by-card scripted" hidden={method !== 'card'}>
        <Card checkout={checkout} testCards={testCards} />
      </div>
    )}
    {methods.includes('pix_automatico') && (
      <div class="by-mandate" hidden={method !== 'pix_automatico'}>
        <PixAutomatico checkout={checkout} />
      </div>
    )}
    {methods.includes('pix') && (
      <div class="by-pix" hidden={method !== 'pix'}>
        <ToPix checkout={checkout} />
      </div>
    )}
  </>
);

/** A mandate whose code was made is shown; else a card is what most come for. */
function firstMethod({ methods, mandate }: PurchaseView): Method {
  if (methods.includes('pix_automatico') && mandate !== null && mandate.qr !== null) return 'pix_automatico';
  return methods.includes('card') ? 'card' : 'pix';
}

interface RenewalProps {
  readonly checkout: Checkout;
  readonly testCards: readonly TestCard[];
  readonly look: LookView;
}

/** How the bills to come of a subscription are paid: another card, PIX, or Pix Automático. */
export function Renewal({ checkout, testCards, look }: RenewalProps) {
  const spoken = useSpoken();
  const { renewal: words } = spoken.texts;
  const { purchase, done } = checkout;
  const { cardFor } = purchase;
  const isDebited = purchase.renewedBy?.method === 'pix_automatico';
  const methods = purchase.methods.filter(
    // Only a card is stored where nothing is to be paid yet; whoever ends a mandate turns to PIX.
    (one) => one === 'card' || (cardFor === undefined && !isDebited),
  );
  const [chosen, setMethod] = useState(() => firstMethod(purchase));
  const [began] = useState(purchase);
  const method = methods.includes(chosen) ? chosen : methods.includes('card') ? 'card' : 'pix';
  // A code was made: nothing has changed until it is authorised.
  const isChanged = done === 'card' || done === 'pix' || (done !== null && isDebited);
  if (isChanged && purchase.renewedBy !== null)
    return <Changed renewedBy={purchase.renewedBy} text={doneText(spoken, began)} />;
  if (methods.length === 0 && !isDebited) return <NoMethod merchant={purchase.merchant} />;
  return (
    <section class="panel" aria-label={words.label}>
      {cardFor === undefined ? <Today purchase={purchase} /> : <ForCard purchase={purchase} />}
      {isDebited && <EndMandate checkout={checkout} />}
      {methods.length > 1 && (
        <MethodChoice
          legend={words.choose}
          methods={methods}
          method={method}
          choose={setMethod}
          hintOf={(of) => words.hints[of]}
        />
      )}
      <Ways checkout={checkout} testCards={testCards} methods={methods} method={method} />
      <Consent purchase={purchase} look={look} />
      {purchase.methods.includes('card') && (
        <noscript>
          <p class="note">
            {words.unscripted}
            {cardFor === undefined && words.pixUnscripted}
          </p>
        </noscript>
      )}
    </section>
  );
}
