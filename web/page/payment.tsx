import { useState } from 'preact/hooks';
import { Card } from './card.tsx';
import { Consent } from './consent-note.tsx';
import { isoInstant } from './format.ts';
import { useSpoken } from './language.ts';
import { MethodChoice, NoMethod } from './method-choice.tsx';
import type { LookView, Method, PurchaseView, TestCard } from './page-data.ts';
import { Pix, PixAutomatico } from './pix.tsx';
import type { Texts } from './texts/pt.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';

function hintOf({ payment }: Texts, method: Method, installmentsMax: number): string {
  return method === 'card' && installmentsMax > 1 ? payment.upTo(installmentsMax) : payment.hints[method];
}

function Debited({ on }: { on: number }) {
  const { texts, date } = useSpoken();
  return (
    <p class="today">
      {texts.payment.debit}
      <time dateTime={isoInstant(on)}>{date(on)}</time>
      {texts.payment.debitRest}
    </p>
  );
}

/** Without a script a PIX can be paid, and a card cannot. */
function Unscripted({ methods }: Pick<PurchaseView, 'methods'>) {
  const { payment } = useSpoken().texts;
  if (!methods.includes('card')) return null;
  return (
    <noscript>
      <p class="note">{payment.cardUnscripted}</p>
    </noscript>
  );
}

/** A debit of what comes is chosen by its buyer: nothing but a code that was asked for shows it first. */
function firstMethod({ methods, declined, mandate }: PurchaseView): Method {
  if (methods.includes('card') && (declined !== null || !methods.includes('pix'))) return 'card';
  return methods.includes('pix_automatico') && mandate !== null && mandate.qr !== null ? 'pix_automatico' : 'pix';
}

/** Whether choosing PIX is all that a buyer does for the code: it ends what else could still be chosen nowhere. */
const makesCode = ({ qr, takesCode, debitedOn }: PurchaseView): boolean =>
  qr === null && !takesCode && debitedOn === null;

interface PaymentProps {
  readonly checkout: Checkout;
  readonly testCards: readonly TestCard[];
  readonly look: LookView;
}

/** What is chosen, and by what the form of a card stays once it was. */
function useMethod({ purchase, makeQr }: Checkout) {
  const [chosen, setMethod] = useState(() => firstMethod(purchase));
  const [hasCard, setHasCard] = useState(chosen === 'card');
  const { methods } = purchase;
  const choose = (method: Method): void => {
    setMethod(method);
    if (method === 'card') setHasCard(true);
    if (method === 'pix' && makesCode(purchase)) void makeQr();
  };
  // Cards end with too many declines while the page is open, a mandate where it is rejected.
  return { method: methods.includes(chosen) ? chosen : ('pix' as const), choose, hasCard };
}

function Heading({ methods }: Pick<PurchaseView, 'methods'>) {
  const { payment } = useSpoken().texts;
  if (methods.length === 1)
    return <h2 class="only-method">{methods.includes('pix') ? payment.byPix : payment.byCard}</h2>;
  return (
    <noscript>
      <h2>{payment.byPix}</h2>
    </noscript>
  );
}

/** What a payable purchase is paid by. */
export function Payment({ checkout, testCards, look }: PaymentProps) {
  const { texts } = useSpoken();
  const { purchase, failure } = checkout;
  const { installments, methods, cardsExhausted, debitedOn } = purchase;
  const { method, choose, hasCard } = useMethod(checkout);
  if (methods.length === 0) return <NoMethod merchant={purchase.merchant} />;
  const toPix = methods.includes('pix') ? () => choose('pix') : undefined;
  return (
    <section class="panel" aria-label={texts.payment.label}>
      {debitedOn !== null && <Debited on={debitedOn} />}
      {cardsExhausted && <Trouble text={texts.noMoreCards} isNews={failure?.action === 'card'} />}
      {methods.length > 1 && (
        <MethodChoice
          legend={texts.payment.choose}
          methods={methods}
          method={method}
          choose={choose}
          hintOf={(of) => hintOf(texts, of, installments.at(-1)?.count ?? 1)}
        />
      )}
      <Heading methods={methods} />
      {methods.includes('pix') && (
        <div class="by-pix" hidden={method !== 'pix'}>
          <Pix checkout={checkout} />
        </div>
      )}
      {methods.includes('pix_automatico') && (
        <div class="by-mandate" hidden={method !== 'pix_automatico'}>
          <PixAutomatico checkout={checkout} />
        </div>
      )}
      {hasCard && methods.includes('card') && (
        <div class="by-card" hidden={method !== 'card'}>
          <Card checkout={checkout} testCards={testCards} toPix={toPix} />
        </div>
      )}
      <Consent purchase={purchase} look={look} />
      <Unscripted methods={methods} />
    </section>
  );
}
