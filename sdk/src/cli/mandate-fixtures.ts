import type { Fatura, Subscription } from '../index.ts';
import type { Stage } from './fixtures.ts';

const DAY = 86_400;
/** The debit of a monthly renewal is scheduled by then. */
const SCHEDULED_DAYS = 28;

const asking = { payment_method_type: 'pix_automatico' } as const;

/** Pays the first bill of a subscription by the QR code that authorises too. */
async function authorise(fatura: Fatura, { id, latest_invoice: invoice }: Subscription): Promise<string> {
  const { payment_intent: intent } = await fatura.invoices.checkout(invoice ?? '', asking);
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  return (await fatura.subscriptions.retrieve(id)).mandate ?? '';
}

/** What leads to the events of mandates, and of a debit by one, of subscriptions that are sold so. */
export const mandateFixtures = (sell: (stage: Stage) => Promise<Subscription>) => {
  const asked = async (stage: Stage) => stage.fatura.subscriptions.checkout((await sell(stage)).id, asking);
  const authorised = async (stage: Stage) => authorise(stage.fatura, await sell(stage));
  return {
    atOnce: {
      'mandate.created': asked,
      'mandate.activated': authorised,
      'mandate.failed': async (stage: Stage) =>
        stage.fatura.testHelpers.mandates.reject((await asked(stage)).mandate ?? ''),
      'mandate.ended': async (stage: Stage) =>
        stage.fatura.testHelpers.mandates.cancel(await authorised(stage), { by: 'payer' }),
    },
    byTime: {
      'payment_intent.scheduled': async (stage: Stage) => {
        await authorised(stage);
        const { now } = await stage.fatura.testClock.retrieve();
        await stage.fatura.testClock.advance({ to: now + SCHEDULED_DAYS * DAY });
      },
    },
  };
};
