import type { CardAcquirer, ChargeAnswer } from '../../../../server/payments/acquirer/port.ts';
import type { Merchant } from '../../../support/api.ts';
import { byCard, cards } from '../../../support/cards.ts';
import { CPF, unique } from '../../../support/factories.ts';
import type { PaymentScene } from '../payment-scene.ts';

const APPROVED = cards.approved.replaceAll(' ', '');

/** Numbers of Visa are sixteen digits of which the last one makes their weighed sum a multiple of ten. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reduceRight((total, digit, place) => {
    const weighed = Number(digit) * ((digits.length - place) % 2 === 1 ? 2 : 1);
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** A bank for live cards, which no adapter is written for yet: it approves one number and declines all others. */
export function openLiveBank(scene: PaymentScene) {
  const tokens = new Map<string, ChargeAnswer>();
  let asked = 0;
  const outcomes = new Map<string, ChargeAnswer>();
  const bank: CardAcquirer = {
    name: 'live bank of a test',
    repeatableForMs: 0,
    absence: { proof: 'deadline' },
    cardEntry: { kind: 'own' },
    async tokenizeCard(_, { card }) {
      if ('browserToken' in card) return { known: true, value: { status: 'token_gone' } };
      const { number, brand, expMonth, expYear } = card;
      asked += 1;
      const token = `tok_${unique()}`;
      const declined = { status: 'declined', reason: 'issuer_declined', code: '05', isReversible: true } as const;
      tokens.set(token, number === APPROVED ? { status: 'approved' } : declined);
      return { known: true, value: { status: 'taken', token, brand, last4: number.slice(-4), expMonth, expYear } };
    },
    async chargeCard(_, { token, reference }) {
      const value = outcomes.get(reference) ?? tokens.get(token);
      if (value === undefined) return { known: false, why: 'refused' };
      outcomes.set(reference, value);
      return { known: true, value };
    },
    verifyCard: async () => ({ known: false, why: 'refused' }),
    findCard: async () => ({ known: false, why: 'refused' }),
    forgetCard: async () => ({ known: false, why: 'refused' }),
    findCharge: async (_, reference) => ({ known: true, value: outcomes.get(reference) ?? { status: 'not_found' } }),
    refundCard: async () => ({ known: false, why: 'refused' }),
    findRefund: async () => ({ known: false, why: 'refused' }),
  };

  const newInvoice = async ({ live }: Merchant) => {
    const product = await live.products.create({ name: `Plano ${unique()}` });
    const price = await live.prices.create({ product_id: product.id, unit_amount: 9990, type: 'one_time' });
    return live.invoices.create({
      customer: { name: 'Maria da Silva', identifier: CPF, email: `maria${unique()}@example.com` },
      line_items: [{ price_id: price.id, quantity: 1 }],
    });
  };

  return {
    newInvoice,
    async newMerchant(): Promise<Merchant> {
      Object.assign(scene.deps.acquirers.live, { card: async () => bank });
      return scene.api.newMerchant();
    },
    payFor: ({ live }: Merchant, invoice: string, number: string) => live.invoices.checkout(invoice, byCard(number)),
    async pay(merchant: Merchant, number: string) {
      const { id } = await newInvoice(merchant);
      return this.payFor(merchant, id, number);
    },
    /** One number of each place. */
    declinedNumber: (place: number): string => withCheckDigit(`40000000${String(1_000_000 + place)}`),
    /** Cards that the bank has seen. */
    asked: () => asked,
    alarms: async () => {
      const { values } = await scene.deps.metrics.alarms.get();
      return values.find(({ labels }) => labels.kind === 'card_testing')?.value ?? 0;
    },
    /** What is known of an account is looked at anew after five seconds. */
    lookAnew: () => new Promise((resolve) => setTimeout(resolve, 5_100)),
  };
}
