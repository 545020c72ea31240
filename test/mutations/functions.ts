import { broken, type Catcher } from './mutation.ts';

const PAYMENTS = 'server/payments';
export const attempts = broken<typeof import('../../server/payments/card/attempts.ts')>(`${PAYMENTS}/card/attempts.ts`);
export const bank = broken<typeof import('../../server/payments/acquirer/ask.ts')>(`${PAYMENTS}/acquirer/ask.ts`);
export const book = broken<typeof import('../../server/payments/intents/book.ts')>(`${PAYMENTS}/intents/book.ts`);
export const checkouts = broken<typeof import('../../server/payments/checkout.ts')>(`${PAYMENTS}/checkout.ts`);
export const parts = broken<typeof import('../../server/payments/refunds/parts.ts')>(`${PAYMENTS}/refunds/parts.ts`);
export const receiptsOf = broken<typeof import('../../server/payments/pix/receipts.ts')>(`${PAYMENTS}/pix/receipts.ts`);
export const refundsOf = broken<typeof import('../../server/payments/refunds/create.ts')>(
  `${PAYMENTS}/refunds/create.ts`,
);
export const ending = broken<typeof import('../../server/payments/pix/ending.ts')>(`${PAYMENTS}/pix/ending.ts`);
export const rules = broken<typeof import('../../server/payments/rules.ts')>(`${PAYMENTS}/rules.ts`);
export const settlement = broken<typeof import('../../server/payments/pix/settlement.ts')>(
  `${PAYMENTS}/pix/settlement.ts`,
);
export const sandboxCards = broken<typeof import('../../server/payments/acquirer/sandbox/cards.ts')>(
  `${PAYMENTS}/acquirer/sandbox/cards.ts`,
);
export const life = broken<typeof import('../../server/invoices/life.ts')>('server/invoices/life.ts');
export const activation = broken<typeof import('../../server/subscriptions/activation.ts')>(
  'server/subscriptions/activation.ts',
);
export const subscriptionRules = broken<typeof import('../../server/subscriptions/rules.ts')>(
  'server/subscriptions/rules.ts',
);

/** Tests that catch bugs. */
export const money = (test: string): Catcher => ({ file: 'test/api/payments/money.test.ts', test });
export const api = (file: string, test: string): Catcher => ({ file: `test/api/${file}.test.ts`, test });
