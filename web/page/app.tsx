import { useEffect, useRef, useState } from 'preact/hooks';
import { Buyer } from './buyer.tsx';
import { Deadline, useRedirect } from './deadline.tsx';
import { Speaking, type Spoken, useSpoken } from './language.ts';
import type { PageData } from './page-data.ts';
import { Payment } from './payment.tsx';
import { PromotionCode } from './promotion-code.tsx';
import { Renewal } from './renewal.tsx';
import { Shop } from './shop.tsx';
import { Closed, isClosed } from './standing.tsx';
import { Details, Head } from './summary.tsx';
import { type Checkout, useCheckout } from './use-checkout.ts';
import { WayBack } from './way-back.tsx';

/** Tells of a standing that changed while the buyer looked: in the title, aloud, and by moving there. */
function useAnnouncement({ purchase }: Checkout): string {
  const { texts, of } = useSpoken();
  const { standing, merchant, kind } = purchase;
  const before = useRef(standing);
  const [said, say] = useState('');
  useEffect(() => {
    if (before.current === standing) return;
    before.current = standing;
    document.title = of({ kind }, texts.titleOf(texts.standings[standing], merchant));
    say(texts.standings[standing]);
    document.getElementById('standing')?.focus();
  }, [standing, merchant, kind, texts, of]);
  return said;
}

/** What the buyer does next. */
function Task({ checkout, data }: { checkout: Checkout; data: PageData }) {
  const { typed, testCards, look } = data;
  const { purchase, refresh } = checkout;
  const { standing, links, endsInMs } = purchase;
  const goesIn = useRedirect(purchase);
  // A card that is declined is mended: what was typed outlasts the charge.
  const [wasPayable, remember] = useState(false);
  if (standing === 'payable' && !wasPayable) remember(true);
  const isKept = standing === 'payable' || (standing === 'processing' && wasPayable);
  const parts = { checkout, testCards, look };
  return (
    <>
      {standing === 'buyer' && <Buyer checkout={checkout} typed={typed} look={look} />}
      {isKept && (
        <div hidden={standing !== 'payable'}>
          <Payment {...parts} />
        </div>
      )}
      {isClosed(standing) && <Closed purchase={purchase} standing={standing} goesIn={goesIn} />}
      {(standing === 'renewing' || standing === 'card_needed') && <Renewal {...parts} />}
      {!isClosed(standing) && links !== null && endsInMs !== null && (
        <Deadline endsInMs={endsInMs} links={links} refresh={refresh} />
      )}
    </>
  );
}

function Purchase({ data }: { data: PageData }) {
  const { texts } = useSpoken();
  const checkout = useCheckout(data);
  const said = useAnnouncement(checkout);
  const { purchase } = checkout;
  return (
    <>
      {purchase.isSandbox && (
        <header class="sandbox">
          <p>{texts.summary.sandbox}</p>
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

/** The page of a purchase. */
export const App = ({ data, spoken }: { data: PageData; spoken: Spoken }) => (
  <Speaking.Provider value={spoken}>
    <Purchase data={data} />
  </Speaking.Provider>
);
