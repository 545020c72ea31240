import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type CardSubject,
  cardCases,
  type MandateSubject,
  mandateCases,
  type PixSubject,
  pixCases,
} from '../../../server/payments/acquirer/conformance.ts';
import { ANY_CALL, changeBehaviour } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { persistentMandates } from '../live/mandate-psp.ts';
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
    afterReturn: async (merchant) => ({ ...merchant, now: merchant.now + RETURN_SECONDS }),
  };
});
afterAll(() => bank.close());

test.each(pixCases)('the sandbox bank: $name', ({ run }) => run(subject));
test.each(cardCases)('the sandbox bank: $name', ({ run }) => run(subject));
test.each(mandateCases)('the sandbox bank: $name', ({ run }) => run(subject));

const TRIES_MAX = 60;

describe.each(['request_lost', 'answer_lost', 'fault'] as const)('the sandbox bank with %s', (trouble) => {
  const share = 0.3;

  test.each(mandateCases)('$name', ({ run }) =>
    run({
      ...subject,
      acquirer: persistentMandates(() => bank.acquirer, TRIES_MAX),
      async newMerchant() {
        const merchant = newMerchant();
        await changeBehaviour(bank.pool, { ...merchant, call: ANY_CALL, changes: { [trouble]: share } });
        return merchant;
      },
    }),
  );
});
