import { afterAll, beforeAll, test } from 'vitest';
import {
  type CardSubject,
  cardCases,
  type PixSubject,
  pixCases,
} from '../../../server/payments/acquirer/conformance.ts';
import { cardOf, newMerchant, openSandboxBank, type SandboxBank } from './sandbox-bank.ts';

const RETURN_SECONDS = 5;

let bank: SandboxBank;
let subject: CardSubject & PixSubject;

beforeAll(async () => {
  bank = await openSandboxBank();
  subject = {
    acquirer: bank.acquirer,
    newMerchant: async () => newMerchant(),
    approved: [
      { card: cardOf('4242424242424242'), brand: 'visa' },
      { card: cardOf('5555555555554444'), brand: 'mastercard' },
      { card: cardOf('378282246310005'), brand: 'amex' },
      { card: cardOf('5067766783888311'), brand: 'elo' },
      { card: cardOf('6062825624254001'), brand: 'hipercard' },
    ],
    declined: [
      { card: cardOf('4000000000000002'), reason: 'issuer_declined', isReversible: true, isVerified: false },
      { card: cardOf('4000000000009995'), reason: 'insufficient_funds', isReversible: true, isVerified: true },
      { card: cardOf('4000000000000069'), reason: 'expired_card', isReversible: false, isVerified: false },
      { card: cardOf('4000000000000127'), reason: 'invalid_card_data', isReversible: false, isVerified: false },
      { card: cardOf('4000000000009979'), reason: 'suspected_fraud', isReversible: true, isVerified: false },
      { card: cardOf('4000000000000119'), reason: 'processing_error', isReversible: true, isVerified: false },
    ],
    payQrCode: async (merchant, txid) => {
      await bank.buyerPays(merchant, txid);
    },
    afterReturn: async (merchant) => ({ ...merchant, now: merchant.now + RETURN_SECONDS }),
  };
});
afterAll(() => bank.close());

test.each(pixCases)('the sandbox bank: $name', ({ run }) => run(subject));
test.each(cardCases)('the sandbox bank: $name', ({ run }) => run(subject));
