import { setTimeout as sleep } from 'node:timers/promises';
import { newSuffix } from '../../../kernel/ids.ts';
import type { Acquirer, AcquirerAnswer, Merchant } from '../port.ts';
import { type BankCall, type Behaviour, type Conduct, createConduct, type Trouble } from './behaviour.ts';
import type { Pool } from './books.ts';
import { charge, closeCard, findCharge, findEstorno, readCardState, refund, tokenize, verify } from './cards.ts';
import { lookUpDebit, makeDebit, takeBackDebit, tryAgain } from './debits.ts';
import { endMandate, lookUpMandate, makeMandate } from './mandates.ts';
import { dropCob, findCob, lookUpReturn, makeCob, makeReturn } from './pix.ts';

/** What the caller hears of a call in trouble, and whether the bank did its work. */
const troubles = {
  unreachable: { isDone: false, why: 'unreachable' },
  request_lost: { isDone: false, why: 'timeout' },
  answer_lost: { isDone: true, why: 'timeout' },
  fault: { isDone: true, why: 'fault' },
} as const satisfies Record<Trouble, { isDone: boolean; why: string }>;

/** A bank with books of its own: a real adapter of the port, not a stub. It knows sandbox money only. */
export function createSandboxAcquirer(pool: Pool, behaviour?: Behaviour): Acquirer {
  const conductOf = createConduct(pool);

  const meet = async <T>(
    call: BankCall,
    merchant: Merchant,
    work: (conduct: Conduct) => Promise<AcquirerAnswer<T>>,
  ): Promise<AcquirerAnswer<T>> => {
    if (merchant.liveMode)
      throw new Error(`the sandbox bank was asked to ${call} for live money of ${merchant.accountId}`);
    const forced = await behaviour?.before(call);
    const conduct = await conductOf(merchant.accountId, call);
    if (conduct.latencyMs > 0) await sleep(conduct.latencyMs);
    const trouble = forced ?? conduct.trouble;
    if (trouble === undefined) return work(conduct);
    const { isDone, why } = troubles[trouble];
    if (isDone) await work(conduct);
    return { known: false, why };
  };

  const answer = <T>(call: BankCall, merchant: Merchant, work: (conduct: Conduct) => Promise<T>) =>
    meet(call, merchant, async (conduct) => ({ known: true, value: await work(conduct) }));

  return {
    name: 'sandbox',
    repeatableForMs: Number.POSITIVE_INFINITY,
    absence: { proof: 'deadline' },
    cardEntry: { kind: 'own' },
    offersMandates: true,
    createPix: (merchant, request) => answer('createPix', merchant, () => makeCob(pool, merchant, request)),
    findPix: (merchant, txid) => answer('findPix', merchant, () => findCob(pool, merchant, txid)),
    expirePix: (merchant, txid) => answer('expirePix', merchant, () => dropCob(pool, txid)),
    refundPix: (merchant, request) =>
      answer('refundPix', merchant, ({ refuses }) => makeReturn(pool, merchant, { ...request, refuses })),
    placeMandate: (merchant) => answer('placeMandate', merchant, async () => newSuffix()),
    createMandate: (merchant, request) => answer('createMandate', merchant, () => makeMandate(pool, merchant, request)),
    findMandate: (merchant, of) => answer('findMandate', merchant, () => lookUpMandate(pool, merchant, of)),
    cancelMandate: (merchant, bankRef) =>
      answer('cancelMandate', merchant, () => endMandate(pool, { merchant, bankRef })),
    instruct: (merchant, request) => meet('instruct', merchant, () => makeDebit(pool, merchant, request)),
    findDebit: (merchant, txid) => answer('findDebit', merchant, () => lookUpDebit(pool, merchant, txid)),
    cancelDebit: (merchant, txid) => answer('cancelDebit', merchant, () => takeBackDebit(pool, merchant, txid)),
    retryDebit: (merchant, of) => answer('retryDebit', merchant, () => tryAgain(pool, merchant, of)),
    tokenizeCard: (merchant, request) => answer('tokenizeCard', merchant, () => tokenize(pool, merchant, request)),
    verifyCard: (merchant, request) =>
      answer('verifyCard', merchant, ({ declines }) => verify(pool, merchant, { ...request, declines })),
    findCard: (merchant, { token }) => answer('findCard', merchant, () => readCardState(pool, merchant, token)),
    forgetCard: (merchant, { token }) => answer('forgetCard', merchant, () => closeCard(pool, merchant, token)),
    chargeCard: (merchant, request) =>
      meet('chargeCard', merchant, ({ declines }) => charge(pool, merchant, { ...request, declines })),
    findCharge: (merchant, reference) =>
      answer('findCharge', merchant, ({ notFoundSeconds }) =>
        findCharge(pool, merchant, { reference, notFoundSeconds }),
      ),
    refundCard: (merchant, request) =>
      answer('refundCard', merchant, ({ refuses }) => refund(pool, merchant, { ...request, refuses })),
    findRefund: (merchant, { method, reference }) => {
      const find = method === 'pix' ? lookUpReturn : findEstorno;
      return answer('findRefund', merchant, ({ notFoundSeconds }) =>
        find(pool, merchant, { reference, notFoundSeconds }),
      );
    },
  };
}
