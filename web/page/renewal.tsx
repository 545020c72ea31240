import { useEffect, useRef, useState } from 'preact/hooks';
import { Card } from './card.tsx';
import { date, isoInstant, money } from './format.ts';
import { MethodChoice, NoMethod } from './method-choice.tsx';
import type { Method, PurchaseView, TestCard } from './page-data.ts';
import { PixAutomatico } from './pix.tsx';
import { Sign } from './standing.tsx';
import { brandNames, problemText } from './texts.ts';
import { Trouble } from './trouble.tsx';
import type { Checkout } from './use-checkout.ts';

const hints: Readonly<Record<Method, string>> = {
  pix_automatico: 'Debitado da sua conta',
  pix: 'O código chega por e-mail',
  card: 'Cobrado sozinho',
};

type RenewedBy = NonNullable<PurchaseView['renewedBy']>;

/** `no cartão Visa final 4242`, `por PIX`, `por Pix Automático`. */
function wayOf(renewedBy: RenewedBy): string {
  if (renewedBy.method !== 'card') return renewedBy.method === 'pix' ? 'por PIX' : 'por Pix Automático';
  const { brand, last4 } = renewedBy;
  return [
    'no cartão',
    ...(brand === null ? [] : [brandNames[brand]]),
    ...(last4 === null ? [] : [`final ${last4}`]),
  ].join(' ');
}

/** What becomes of the card that is asked for. */
function ForCard({ purchase: { cardFor, amount, dueAt, renewedBy } }: { purchase: PurchaseView }) {
  const day = <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>;
  if (cardFor === 'now')
    return <p class="today">Sua assinatura volta com o cartão: {money(amount)} são cobrados hoje.</p>;
  return (
    <p class="today">
      {renewedBy !== null && `Seu cartão já está guardado: ${wayOf(renewedBy)}. `}
      Hoje nada é cobrado. Em {day} são cobrados {money(amount)}, a não ser que você cancele antes.
    </p>
  );
}

const Today = ({ purchase: { renewedBy, dueAt, isPaused } }: { purchase: PurchaseView }) => (
  <p class="today">
    {renewedBy !== null && `Hoje você paga ${wayOf(renewedBy)}. `}
    {isPaused !== true && (
      <>
        A próxima cobrança é em <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>.
      </>
    )}
  </p>
);

/** Ends the mandate, from when each bill is paid by its code; works without a script. */
function EndMandate({ checkout: { makeQr, busy, failure } }: { checkout: Checkout }) {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void makeQr();
  };
  return (
    <>
      {failure?.action === 'pix' && <Trouble text={problemText(failure.problem)} isNews />}
      <p>Você autorizou o débito de cada cobrança na sua conta. Sem a autorização, o código PIX chega por e-mail.</p>
      <form class="new-code" method="post" onSubmit={onSubmit}>
        <button type="submit" class="secondary" aria-disabled={busy !== null}>
          {busy === 'pix' ? 'Encerrando …' : 'Encerrar a autorização'}
        </button>
      </form>
    </>
  );
}

/** By PIX from now on; works without a script. */
function ToPix({ checkout: { makeQr, busy, failure, purchase } }: { checkout: Checkout }) {
  if (purchase.renewedBy?.method === 'pix')
    return <p>Sua assinatura já é paga por PIX: o código de cada cobrança chega no seu e-mail.</p>;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void makeQr();
  };
  return (
    <>
      {failure?.action === 'pix' && <Trouble text={problemText(failure.problem)} isNews />}
      <form class="new-code" method="post" onSubmit={onSubmit}>
        <button type="submit" class="primary" aria-disabled={busy !== null}>
          {busy === 'pix' ? 'Mudando para PIX …' : 'Pagar com PIX de agora em diante'}
        </button>
      </form>
      <p class="note">Enviamos o código por e-mail antes de cada vencimento. O cartão não é mais cobrado.</p>
    </>
  );
}

function Changed({ renewedBy, text }: { renewedBy: RenewedBy; text: string | null }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <section class="panel closed" aria-labelledby="changed">
      <Sign sign="done" />
      <h2 id="changed" tabIndex={-1} ref={title}>
        Pronto
      </h2>
      <p>{text ?? `A partir de agora, sua assinatura é paga ${wayOf(renewedBy)}. Nada foi cobrado hoje.`}</p>
      <p>
        <a href="?">Mudar de novo</a>
      </p>
    </section>
  );
}

/** What the card has done, by what it was asked for. */
function doneText({ cardFor, amount, dueAt }: PurchaseView): string | null {
  if (cardFor === undefined) return null;
  if (cardFor === 'now') return 'Sua assinatura voltou: o primeiro período começou hoje, e o cartão é cobrado.';
  const charge = `Hoje nada foi cobrado; em ${date(dueAt)} o cartão é cobrado em ${money(amount)}.`;
  return cardFor === 'trial' ? `Seu teste grátis começou. ${charge}` : `O cartão ficou guardado. ${charge}`;
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

/** How the bills to come of a subscription are paid: another card, PIX, or Pix Automático. */
export function Renewal({ checkout, testCards }: { checkout: Checkout; testCards: readonly TestCard[] }) {
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
    return <Changed renewedBy={purchase.renewedBy} text={doneText(began)} />;
  if (methods.length === 0 && !isDebited) return <NoMethod merchant={purchase.merchant} />;
  return (
    <section class="panel" aria-label="Forma de pagamento">
      {cardFor === undefined ? <Today purchase={purchase} /> : <ForCard purchase={purchase} />}
      {isDebited && <EndMandate checkout={checkout} />}
      {methods.length > 1 && (
        <MethodChoice
          legend="Como você quer pagar as próximas cobranças?"
          methods={methods}
          method={method}
          choose={setMethod}
          hintOf={(of) => hints[of]}
        />
      )}
      <Ways checkout={checkout} testCards={testCards} methods={methods} method={method} />
      {purchase.methods.includes('card') && (
        <noscript>
          <p class="note">
            Para informar um cartão, ative o JavaScript do navegador.
            {cardFor === undefined && ' O PIX funciona sem ele.'}
          </p>
        </noscript>
      )}
    </section>
  );
}
