import { z } from 'zod';
import { failures } from './errors.ts';
import { field, meta, pathId } from './kernel.ts';
import { PaymentIntent } from './payments.ts';
import { c, routerOptions, writeErrors } from './router.ts';

export const pixScenarios = ['paid', 'paid_twice', 'paid_late', 'confirmed_not_settled'] as const;
export type PixScenario = (typeof pixScenarios)[number];

const PayPixBody = z
  .strictObject({
    scenario: field(
      z.enum(pixScenarios),
      '`paid`: the buyer pays; `paid_twice`: pays the QR code again; `paid_late`: pays after its end, whatever the state; `confirmed_not_settled`: paid now, settled 60 s later.',
      'paid',
    ),
  })
  .meta({ id: 'PayPixBody', description: 'What the buyer does.' });

/** Routes that exist in the sandbox alone (decisions §5). */
export const testHelpers = c.router(
  {
    paymentIntents: {
      payPix: {
        method: 'POST',
        path: '/test_helpers/payment_intents/:id/pay_pix',
        pathParams: pathId('pi', 'payment intent'),
        summary: 'Pay a PIX QR code as the buyer would',
        description: "Sandbox only. Answers once the bank's notice has been handled.",
        body: PayPixBody,
        responses: { 200: PaymentIntent, ...writeErrors, ...failures(504) },
        metadata: meta({ scope: 'write', idPrefix: 'pi', sandboxOnly: true }),
      },
    },
  },
  routerOptions,
);
