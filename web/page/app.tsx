import { useEffect, useRef, useState } from 'preact/hooks';
import { Buyer } from './buyer.tsx';
import { Card } from './card.tsx';
import { Deadline, useRedirect } from './deadline.tsx';
import { date, isoInstant } from './format.ts';
import { MethodChoice, NoMethod } from './method-choice.tsx';
import type { Method, PageData, PurchaseView, TestCard } from './page-data.ts';
import { Pix, PixAutomatico } from './pix.tsx';
import { PromotionCode } from './promotion-code.tsx';
import { Renewal } from './renewal.tsx';
import { Shop } from './shop.tsx';
import { Closed } from './standing.tsx';
import { Details, Head } from './summary.tsx';
import { NO_MORE_CARDS, standingNames, worded } from './texts.ts';
import { Trouble } from './trouble.tsx';
import { type Checkout, useCheckout } from './use-checkout.ts';
import { WayBack } from './way-back.tsx';

function hintOf(method: Method, installmentsMax: number): string {
  if (method === 'pix') return 'Aprovado na hora';
  if (method === 'pix_automatico') return 'Paga agora e autoriza as próximas cobranças';
  return installmentsMax > 1 ? `Até ${installmentsMax}x sem juros` : 'Crédito à vista';
}

const Debited = ({ on }: { on: number }) => (
  <p class="today">
    O Pix Automático debita esta cobrança em <time dateTime={isoInstant(on)}>{date(on)}</time>. Se você pagar antes, o
    débito é cancelado.
  </p>
);

/** Without a script a PIX can be paid, and a card cannot. */
function Unscripted({ methods }: Pick<PurchaseView, 'methods'>) {
  if (!methods.includes('card')) return null;
  return (
    <noscript>
      <p class="note">Para pagar com cartão, ative o JavaScript do navegador. O PIX funciona sem ele.</p>
    </noscript>
  );
}

/** A debit of what comes is chosen by its buyer: nothing but a code that was asked for shows it first. */
function firstMethod({ methods, declined, mandate }: PurchaseView): Method {
  if (methods.includes('card') && (declined !== null || !methods.includes('pix'))) return 'card';
  return methods.includes('pix_automatico') && mandate !== null && mandate.qr !== null ? 'pix_automatico' : 'pix';
}

function Payment({ checkout, testCards }: { checkout: Checkout; testCards: readonly TestCard[] }) {
  const { purchase, failure } = checkout;
  const { installments, methods, cardsExhausted, debitedOn } = purchase;
  const [chosen, setMethod] = useState(() => firstMethod(purchase));
  // Once chosen, the form stays with what was typed into it.
  const [hasCard, setHasCard] = useState(chosen === 'card');
  // Cards end with too many declines while the page is open, a mandate where it is rejected.
  const method = methods.includes(chosen) ? chosen : 'pix';
  const choose = (chosen: Method): void => {
    setMethod(chosen);
    if (chosen === 'card') setHasCard(true);
  };
  if (methods.length === 0) return <NoMethod merchant={purchase.merchant} />;
  return (
    <section class="panel" aria-label="Pagamento">
      {debitedOn !== null && <Debited on={debitedOn} />}
      {cardsExhausted && <Trouble text={NO_MORE_CARDS} isNews={failure?.action === 'card'} />}
      {methods.length > 1 && (
        <MethodChoice
          legend="Como você quer pagar?"
          methods={methods}
          method={method}
          choose={choose}
          hintOf={(of) => hintOf(of, installments.at(-1)?.count ?? 1)}
        />
      )}
      {methods.length === 1 && <h2 class="only-method">{method === 'pix' ? 'Pague com PIX' : 'Pague com cartão'}</h2>}
      {methods.length > 1 && (
        <noscript>
          <h2>Pague com PIX</h2>
        </noscript>
      )}
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
          <Card checkout={checkout} testCards={testCards} />
        </div>
      )}
      <Unscripted methods={methods} />
    </section>
  );
}

/** Tells of a standing that changed while the buyer looked: in the title, aloud, and by moving there. */
function useAnnouncement({ purchase: { standing, merchant, kind } }: Checkout): string {
  const before = useRef(standing);
  const [said, say] = useState('');
  useEffect(() => {
    if (before.current === standing) return;
    before.current = standing;
    document.title = worded(kind, `${standingNames[standing]}: fatura de ${merchant}`);
    say(standingNames[standing]);
    document.getElementById('standing')?.focus();
  }, [standing, merchant, kind]);
  return said;
}

/** What the buyer does next. */
function Task({ checkout, data }: { checkout: Checkout; data: PageData }) {
  const { typed, testCards } = data;
  const { purchase, refresh } = checkout;
  const { standing, links, endsInMs } = purchase;
  if (standing !== 'buyer' && standing !== 'payable' && standing !== 'renewing' && standing !== 'card_needed')
    return <Closed purchase={purchase} standing={standing} />;
  return (
    <>
      {standing === 'buyer' && <Buyer checkout={checkout} typed={typed} />}
      {standing === 'payable' && <Payment checkout={checkout} testCards={testCards} />}
      {(standing === 'renewing' || standing === 'card_needed') && <Renewal checkout={checkout} testCards={testCards} />}
      {links !== null && endsInMs !== null && <Deadline endsInMs={endsInMs} links={links} refresh={refresh} />}
    </>
  );
}

/** The page of a purchase. */
export function App({ data }: { data: PageData }) {
  const checkout = useCheckout(data);
  const said = useAnnouncement(checkout);
  useRedirect(checkout.purchase);
  const { purchase } = checkout;
  return (
    <>
      {purchase.isSandbox && (
        <header class="sandbox">
          <p>Ambiente de teste: nenhum valor será cobrado.</p>
        </header>
      )}
      <main class="page">
        <Head purchase={purchase} look={data.look} />
        <Details purchase={purchase}>{purchase.takesCode && <PromotionCode checkout={checkout} />}</Details>
        <div class="act">
          <p class="visually-hidden" role="status">
            {said}
          </p>
          <Task checkout={checkout} data={data} />
          <WayBack />
        </div>
      </main>
      <Shop name={purchase.merchant} look={data.look} />
    </>
  );
}
