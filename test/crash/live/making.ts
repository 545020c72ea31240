import { randomUUID } from 'node:crypto';
import type { ProfileName } from '../../../dev/fake-psp/psp.ts';
import { paidBooks, told } from '../books.ts';
import { type Answers, answerOf, keysOf, type Prepared } from '../cell.ts';
import type { Family } from '../matrix/matrix.ts';
import { rivalsOf } from '../matrix/rivals.ts';
import { inTurn } from './in-turn.ts';
import type { LiveCell, LiveDeath, LiveScene, Mischief } from './member.ts';

const LATE_MS = 1_500;

/** What the PSP does when it is to make the QR code. */
const makings = {
  ok: [],
  'request lost': [{ kind: 'request_lost', operation: 'putCob' }],
  'answer lost': [{ kind: 'answer_lost', operation: 'putCob' }],
  'faulty answer': [{ kind: 'html_fault', operation: 'putCob', worked: true }],
  silent: [
    { kind: 'answer_lost', operation: 'putCob' },
    { kind: 'unavailable', operation: 'getCob' },
  ],
  'repeats refused': [{ kind: 'repeat_refused' }],
  'hidden and refused': [{ kind: 'lagging', operation: 'getCob' }, { kind: 'repeat_refused' }],
  'never answered': [{ kind: 'hanging', operation: 'putCob', next: 1 }],
  'made after the death': [{ kind: 'stalled', operation: 'putCob', next: 1, milliseconds: LATE_MS }],
} as const satisfies Record<string, readonly Mischief[]>;
type Making = keyof typeof makings;

const places = {
  'pix.after-intent': { at: 'pix.after-intent' },
  'pix.after-acquirer': { at: 'pix.after-acquirer' },
  'while the PSP makes it': { whileAsked: 'putCob' },
} as const satisfies Record<string, LiveDeath>;
type Place = keyof typeof places;

/** Under which Idempotency-Key the checkout is repeated. */
const keys = ['its key', 'fresh ones'] as const;

interface Case {
  readonly place: Place;
  readonly making: Making;
  readonly repeat: (typeof keys)[number];
}

const isCutOff = (making: Making): boolean => making === 'never answered' || making === 'made after the death';

function differs({ place, making, repeat }: Case): boolean {
  if (isCutOff(making) !== (place === 'while the PSP makes it')) return false;
  // The PSP has refused and hidden nothing before it was asked.
  if (place === 'pix.after-intent' && (making === 'repeats refused' || making === 'hidden and refused')) return false;
  // What the process heard dies with it.
  if (place === 'pix.after-acquirer' && making === 'faulty answer') return false;
  if (repeat === 'its key') return true;
  // A key keeps the answer to itself, and changes nothing of what the PSP does.
  return making === 'made after the death' || (making === 'ok' && place === 'pix.after-acquirer');
}

function answersOf({ making, repeat }: Case): Answers {
  const isHeld = repeat === 'its key';
  if (making === 'hidden and refused')
    return { isHeld, repeat: 'ACQUIRER_UNAVAILABLE', looked: 'ACQUIRER_UNAVAILABLE', final: 'open' };
  const answer = making === 'request lost' || making === 'silent' ? 'ACQUIRER_TIMEOUT' : 'open';
  return { isHeld, repeat: answer, looked: answer, final: 'open' };
}

/** The first to send is the process that dies. */
function checkoutsOf(invoiceId: string, { repeat }: Case): Prepared['request'] {
  let sent = 0;
  return ({ fatura }, key) => {
    const idempotencyKey = repeat === 'its key' || sent === 0 ? key : randomUUID();
    sent += 1;
    return fatura.invoices.checkout(invoiceId, { payment_method_type: 'pix' }, { idempotencyKey });
  };
}

/** Whoever asks anew is given the same QR code, which is paid. */
async function payTheOne({ live, merchant }: LiveScene, { invoiceId, request }: Prepared): Promise<void> {
  const txid = await live.txidOf(invoiceId);
  if ((await answerOf(request(merchant, randomUUID()))) !== 'open') throw new Error(`${invoiceId} has no QR code`);
  live.pay(txid);
}

const cellOf = (one: Case, amount: number, profile: ProfileName): LiveCell => ({
  name: `${one.place}, making ${one.making}, repeated under ${one.repeat}, at ${profile}`,
  death: places[one.place],
  profile,
  troubles: makings[one.making],
  async prepare({ live }) {
    const invoiceId = await live.invoice(amount);
    return { invoiceId, request: checkoutsOf(invoiceId, one), rivals: rivalsOf(invoiceId) };
  },
  finish: payTheOne,
  answers: answersOf(one),
  books: {
    ...paidBooks(amount, {
      intents: ['pix paid'],
      receipts: [amount],
      events: [...told.created, ...told.qrMade, ...told.paid],
    }),
    cobs: ['CONCLUIDA'],
  },
});

const cases: Case[] = keysOf(places).flatMap((place) =>
  keysOf(makings).flatMap((making) => keys.map((repeat) => ({ place, making, repeat }))),
);

export const making: Family<LiveCell> = {
  rule: 'an API killed during a PIX checkout at a PSP hands out one QR code that is paid once',
  cells: (variation) => inTurn(cases.filter(differs), cellOf, variation),
};
