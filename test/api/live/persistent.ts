import { setTimeout as sleep } from 'node:timers/promises';
import type { AcquirerAnswer, PixCharges } from '../../../server/payments/acquirer/port.ts';

const TRIES_MAX = 60;
/** Enough for a refusal to arrive once, and its proof. */
const TRIES_BEFORE = 30;
const PAUSE_MS = 5;
const SHOWN_WITHIN_SECONDS = 60;

async function untilKnown<T>(
  ask: (tries: number) => Promise<AcquirerAnswer<T>>,
  triesMax = TRIES_MAX,
): Promise<AcquirerAnswer<T>> {
  let answer = await ask(0);
  for (let tries = 1; !answer.known && tries < triesMax; tries += 1) {
    await sleep(PAUSE_MS * Math.min(tries, triesMax === TRIES_MAX ? 10 : 1));
    answer = await ask(tries);
  }
  return answer;
}

/** An acquirer as the service uses it: what is not known is asked again, and what may be a repeat says so. */
export const persistent = (acquirer: PixCharges): PixCharges => ({
  ...acquirer,
  createPix: (merchant, request) =>
    untilKnown((tries) => acquirer.createPix(merchant, { ...request, isRepeat: request.isRepeat || tries > 0 })),
  findPix: (merchant, txid) => untilKnown(() => acquirer.findPix(merchant, txid)),
  expirePix: (merchant, txid) => untilKnown(() => acquirer.expirePix(merchant, txid)),
  refundPix: (merchant, request) => {
    // A refusal is one only after a while; before, it is asked for as often as it takes to arrive.
    const isOver = merchant.now - request.askedAt >= SHOWN_WITHIN_SECONDS;
    const findOrAsk = async (): ReturnType<PixCharges['refundPix']> => {
      const found = await acquirer.findRefund(merchant, request);
      return found.known && found.value.status === 'unknown_to_acquirer'
        ? acquirer.refundPix(merchant, request)
        : found;
    };
    return untilKnown(findOrAsk, isOver ? TRIES_MAX : TRIES_BEFORE);
  },
  findRefund: (merchant, request) => untilKnown(() => acquirer.findRefund(merchant, request)),
});
