import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { BuyerValues } from './buyer-fields.ts';
import type { CardRequest } from './card-fields.ts';
import { tokenOfCard } from './card-token.ts';
import { useLive } from './live.ts';
import { isFinal, type PageAnswer, type PageData, type Problem, type PurchaseView } from './page-data.ts';
import { isOver, newKey, post, readPurchase } from './requests.ts';
import { isUncertain } from './texts.ts';

export type Action = 'buyer' | 'code' | 'pix' | 'mandate' | 'card' | 'simulation';

/** What went wrong, and at what. */
export interface Failure {
  readonly action: Action;
  readonly problem: Problem;
}

/** The try that a body belongs to: the same body is the same try until its end is known. */
interface Try {
  readonly body: string;
  readonly key: string;
  /** The acquirer's token of its card; null: it has none yet, or needs none. */
  readonly token: string | null;
  /** Whether a decline was known before it. */
  readonly followsDecline: boolean;
}

type Update = (change: (known: PurchaseView) => PurchaseView) => void;

/** What is told of a purchase: that a charge of this page's own is under way takes nothing away, so its form stays as it was typed. */
function useNews(update: Update) {
  const held = useRef<PurchaseView | null>(null);
  const isCharging = useRef(false);
  const take = useCallback(
    (next: PurchaseView | null): void => {
      // Answers may overtake each other: what was read later holds.
      if (next !== null) update((known) => (next.readAtMs >= known.readAtMs ? next : known));
    },
    [update],
  );
  const hear = useCallback(
    (next: PurchaseView | null): void => {
      if (isCharging.current && next?.standing === 'processing') held.current = next;
      else take(next);
    },
    [take],
  );
  const charging = (is: boolean): void => {
    isCharging.current = is;
    take(held.current);
    held.current = null;
  };
  return { take, hear, charging };
}

/** What the page knows and does; everything that is known of the purchase comes from the service. */
export function useCheckout(data: PageData) {
  const [purchase, setPurchase] = useState(data.purchase);
  /** Who the buyer said to be on this page. */
  const [buyer, setBuyer] = useState<BuyerValues | null>(null);
  const [failure, setFailure] = useState<Failure | null>(() => failureOf(actionOfForm(data), data.problem));
  const [busy, setBusy] = useState<Action | null>(null);
  /** What the buyer asked for last and got. */
  const [done, setDone] = useState<Action | null>(null);
  const isBusy = useRef(false);
  const attempt = useRef<Try | null>(null);

  const { take, hear, charging } = useNews(setPurchase);

  const run = async (action: Action, ask: () => Promise<PageAnswer>): Promise<PageAnswer | null> => {
    // A second click comes before the button shows that the first one counted.
    if (isBusy.current) return null;
    isBusy.current = true;
    charging(action === 'card');
    setBusy(action);
    setFailure(null);
    setDone(null);
    const answer = await ask();
    charging(false);
    take(answer.purchase);
    setFailure(failureOf(action, answer.problem));
    setDone(answer.problem === null ? action : null);
    setBusy(null);
    isBusy.current = false;
    return answer;
  };

  /** Sends a try, with a token in the place of its card where the acquirer takes that. */
  const sendCard = async (card: CardRequest, current: Try): Promise<PageAnswer> => {
    const { cardUrl } = purchase;
    if (cardUrl === null) return post('card', card, current.key);
    const made = current.token === null ? await tokenOfCard(cardUrl, card) : { token: current.token };
    if ('problem' in made) return { purchase: null, problem: made.problem };
    attempt.current = { ...current, token: made.token };
    const { card: _, ...rest } = card;
    return post('card', { ...rest, card_token: made.token }, current.key);
  };

  const payByCard = async (card: CardRequest): Promise<PageAnswer | null> => {
    if (isBusy.current) return null;
    const body = JSON.stringify(card);
    const last = attempt.current;
    // An answer that did not come is told by the purchase: a decline that is new ends the try, and what is sent is another.
    const known = purchase.declined !== null && last?.followsDecline === false ? null : last;
    const fresh: Try = { body, key: newKey(), token: null, followsDecline: purchase.declined !== null };
    const current = known !== null && known.body === body ? known : fresh;
    attempt.current = current;
    const answer = await run('card', async () => {
      const first = await sendCard(card, current);
      // The token was too old, and nothing came of it: the card gets another one, once.
      return first.problem?.code === 'CARD_TOKEN_EXPIRED' ? sendCard(card, fresh) : first;
    });
    if (answer !== null && isOver(answer.problem, isUncertain)) attempt.current = null;
    return answer;
  };

  const identify = async (values: BuyerValues): Promise<PageAnswer | null> => {
    const answer = await run('buyer', () => post('buyer', values));
    if (answer?.problem === null) setBuyer(values);
    return answer;
  };

  const refresh = useCallback(async () => hear(await readPurchase()), [hear]);
  const { standing } = purchase;
  const toldStanding = useRef(standing);
  useEffect(() => {
    // What went wrong before says nothing of the purchase as it stands now.
    if (toldStanding.current !== standing) setFailure(null);
    toldStanding.current = standing;
  }, [standing]);
  useLive(!isFinal(purchase), hear);

  return {
    purchase,
    buyer,
    failure,
    busy,
    done,
    refresh,
    payByCard,
    identify,
    makeQr: () => run('pix', () => post('pix', {})),
    askMandate: () => run('mandate', () => post('mandate', {})),
    redeem: (promotion_code: string) => run('code', () => post('code', { promotion_code })),
    simulate: () => run('simulation', () => post('simulation', {})),
    simulateMandate: () => run('simulation', () => post('mandate/simulation', {})),
  };
}

export type Checkout = ReturnType<typeof useCheckout>;

/** What the page's form asked for where no script sent it. */
function actionOfForm({ purchase, problem }: PageData): Action {
  if (problem?.code === 'PROMOTION_CODE_INVALID') return 'code';
  return purchase.standing === 'buyer' ? 'buyer' : 'pix';
}

const failureOf = (action: Action, problem: Problem | null): Failure | null =>
  problem === null ? null : { action, problem };
