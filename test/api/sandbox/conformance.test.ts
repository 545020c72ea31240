import { afterAll, beforeAll, test } from 'vitest';
import {
  type CardSubject,
  cardCases,
  type PixSubject,
  pixCases,
} from '../../../server/payments/acquirer/conformance.ts';
import { conformanceCards, newMerchant, openSandboxBank, type SandboxBank } from './sandbox-bank.ts';

const RETURN_SECONDS = 5;

let bank: SandboxBank;
let subject: CardSubject & PixSubject;

beforeAll(async () => {
  bank = await openSandboxBank();
  subject = {
    acquirer: bank.acquirer,
    newMerchant: async () => newMerchant(),
    ...conformanceCards,
    payQrCode: async (merchant, txid) => {
      await bank.buyerPays(merchant, txid);
    },
    afterReturn: async (merchant) => ({ ...merchant, now: merchant.now + RETURN_SECONDS }),
  };
});
afterAll(() => bank.close());

test.each(pixCases)('the sandbox bank: $name', ({ run }) => run(subject));
test.each(cardCases)('the sandbox bank: $name', ({ run }) => run(subject));
