import { afterAll, beforeAll, test } from 'vitest';
import { civilDay } from '../../../server/kernel/brazil.ts';
import { HOUR } from '../../../server/kernel/time.ts';
import {
  type CardSubject,
  cardCases,
  type MandateSubject,
  mandateCases,
  type PixSubject,
  pixCases,
} from '../../../server/payments/acquirer/conformance.ts';
import { conformanceCards, newMerchant, openSandboxBank, type SandboxBank } from './sandbox-bank.ts';

const RETURN_SECONDS = 5;

let bank: SandboxBank;
let subject: CardSubject & PixSubject & MandateSubject;

beforeAll(async () => {
  bank = await openSandboxBank();
  subject = {
    acquirer: bank.acquirer,
    newMerchant: async () => newMerchant(),
    ...conformanceCards,
    payQrCode: async (merchant, txid) => {
      await bank.buyerPays(merchant, txid);
    },
    ...bank.mandates,
    at: async (merchant, day, hour) => ({ ...merchant, now: civilDay(day).from + hour * HOUR }),
    afterReturn: async (merchant) => ({ ...merchant, now: merchant.now + RETURN_SECONDS }),
  };
});
afterAll(() => bank.close());

test.each(pixCases)('the sandbox bank: $name', ({ run }) => run(subject));
test.each(cardCases)('the sandbox bank: $name', ({ run }) => run(subject));
test.each(mandateCases)('the sandbox bank: $name', ({ run }) => run(subject));
