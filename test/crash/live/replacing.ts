import type { ProfileName } from '../../../dev/fake-psp/psp.ts';
import { run } from '../../../server/db/statement.ts';
import { ownStatement } from '../../support/statements.ts';
import { paidBooks, told } from '../books.ts';
import { type Answers, keysOf, type Prepared } from '../cell.ts';
import type { Family } from '../matrix/matrix.ts';
import { rivalsOf } from '../matrix/rivals.ts';
import { payFirst, payLast } from './buyer.ts';
import { inTurn } from './in-turn.ts';
import type { LiveBooks, LiveCell, LiveDeath, LiveScene } from './member.ts';

/** When the buyer pays the QR code that has ended: a checkout replaces it. */
const buyers = ['pays the new one', 'paid it unheard', 'pays it before the repeat', 'pays both'] as const;

const places = {
  'settlement.before-settle': { at: 'settlement.before-settle' },
  'settlement.after-settle': { at: 'settlement.after-settle' },
  'pix.after-intent': { at: 'pix.after-intent' },
  'pix.after-acquirer': { at: 'pix.after-acquirer' },
} as const satisfies Record<string, LiveDeath>;
type Place = keyof typeof places;

interface Case {
  readonly place: Place;
  readonly buyer: (typeof buyers)[number];
}

const isAsking = (place: Place): boolean => place === 'settlement.before-settle' || place === 'settlement.after-settle';

function differs({ place, buyer }: Case): boolean {
  // The PSP tells of it when it is asked, and nothing replaces what is paid.
  if (buyer === 'paid it unheard') return isAsking(place);
  // Before the new one is begun it is as if nobody had asked for it.
  if (isAsking(place)) return false;
  return place === 'pix.after-acquirer' || buyer === 'pays it before the repeat';
}

function answersOf({ place, buyer }: Case): Answers {
  if (buyer !== 'paid it unheard') return { isHeld: true, repeat: 'open', looked: 'open', final: 'open' };
  const repeat = place === 'settlement.after-settle' ? 'INVOICE_NOT_OPEN' : 'PIX_PAYMENT_CONFIRMED';
  return { isHeld: false, repeat, looked: 'INVOICE_NOT_OPEN', final: 'INVOICE_NOT_OPEN' };
}

const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

function booksOf({ buyer }: Case, amount: number): LiveBooks {
  const made = [...told.created, ...told.qrMade];
  if (buyer === 'paid it unheard') {
    const paid = paidBooks(amount, { intents: ['pix paid'], receipts: [amount], events: [...made, ...told.paid] });
    return { ...paid, cobs: ['CONCLUIDA'] };
  }
  const replaced = [...made, ...told.takenOver, ...told.qrMade];
  if (buyer === 'pays the new one') {
    const events = [...replaced, ...told.paid];
    const paid = paidBooks(amount, { intents: ['pix discarded', 'pix paid'], receipts: [amount], events });
    return { ...paid, cobs: ['ATIVA', 'CONCLUIDA'] };
  }
  // The former settles, by a charge of its own: the new one is removed, and what is paid for it all the same goes back.
  const settled = [...replaced, ...told.takenOver, ...told.qrMade, ...told.paid];
  const discarded = ['pix discarded', 'pix discarded', 'pix paid'];
  const cobs = ['CONCLUIDA', REMOVED];
  if (buyer === 'pays it before the repeat')
    return { ...paidBooks(amount, { intents: discarded, receipts: [amount], events: settled }), cobs };
  const twice = paidBooks(amount, {
    intents: [...discarded, 'pix refunded surplus'],
    receipts: [amount, amount],
    returns: [String(amount)],
    events: [...settled, ...told.surplus, ...told.returned],
  });
  return { ...twice, cobs };
}

const endQrs = ownStatement(
  'test_end_live_qrs',
  `UPDATE pix_charge SET expires_at = extract(epoch FROM now())::bigint - 1 WHERE account_id = $1`,
);

async function prepare(scene: LiveScene, { buyer }: Case, amount: number): Promise<Prepared> {
  const { live, trouble } = scene;
  const { invoice: invoiceId, txid } = await live.sell(amount);
  await run(live.deps.pool, endQrs, [scene.shop.accountId]);
  if (buyer === 'paid it unheard') {
    trouble({ kind: 'callback_none' });
    live.pay(txid);
  }
  return {
    invoiceId,
    request: ({ fatura }, idempotencyKey) =>
      fatura.invoices.checkout(invoiceId, { payment_method_type: 'pix' }, { idempotencyKey }),
    rivals: rivalsOf(invoiceId),
  };
}

const cellOf = (one: Case, amount: number, profile: ProfileName): LiveCell => ({
  name: `${one.place}, over an ended QR code, the buyer ${one.buyer}, at ${profile}`,
  death: places[one.place],
  profile,
  troubles: [],
  prepare: (scene) => prepare(scene, one, amount),
  ...(one.buyer === 'pays it before the repeat' || one.buyer === 'pays both' ? { meanwhile: payFirst } : {}),
  ...(one.buyer === 'pays the new one' || one.buyer === 'pays both' ? { finish: payLast } : {}),
  answers: answersOf(one),
  books: booksOf(one, amount),
});

const cases: Case[] = keysOf(places).flatMap((place) => buyers.map((buyer) => ({ place, buyer })));

export const replacing: Family<LiveCell> = {
  rule: 'an API killed while a QR code of a PSP is replaced lets the invoice be paid once',
  cells: (variation) => inTurn(cases.filter(differs), cellOf, variation),
};
