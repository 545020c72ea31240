import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { declineReasons } from '../contract/errors.ts';
import { mailStatuses } from '../contract/mails.ts';
import { MODES, modeOf } from './kernel/mode.ts';
import type { BusinessCounts, CountedCharge } from './unit-of-work/counts.ts';

/** How a charge is paid, with a debit by mandate apart from a QR code. */
const chargeMethods = ['pix', 'pix_automatico', 'card'] as const;

const methodOf = ({ paymentMethodType, mandateId }: CountedCharge): string =>
  mandateId == null ? (paymentMethodType ?? 'card') : 'pix_automatico';

function chargeMetrics(registers: Registry[]): Pick<BusinessCounts, 'paid' | 'declined'> {
  const charges = new Counter({
    name: 'fatura_charges_total',
    help: 'Charges by method and mode, and by outcome: paid or the reason of the decline.',
    labelNames: ['method', 'mode', 'outcome'],
    registers,
  });
  const sales = new Counter({
    name: 'fatura_sales_centavos_total',
    help: 'What was paid, in centavos, by method and mode; without what is returned because nothing waited for it.',
    labelNames: ['method', 'mode'],
    registers,
  });
  // From the start, so that the first of each is an increase.
  for (const method of chargeMethods) {
    for (const mode of MODES) {
      sales.inc({ method, mode }, 0);
      const outcomes = method === 'pix' ? ['paid'] : ['paid', ...declineReasons];
      for (const outcome of outcomes) charges.inc({ method, mode, outcome }, 0);
    }
  }
  return {
    paid(charge) {
      const labels = { method: methodOf(charge), mode: modeOf(charge) };
      charges.inc({ ...labels, outcome: 'paid' });
      sales.inc(labels, charge.amount);
    },
    declined(charge, outcome) {
      charges.inc({ method: methodOf(charge), mode: modeOf(charge), outcome });
    },
  };
}

function pixMetrics(registers: Registry[]): Pick<BusinessCounts, 'qrCode'> {
  const codes = new Counter({
    name: 'fatura_pix_codes_total',
    help: 'QR codes of PIX by mode: made, paid, or paid late, when their invoice did not wait for it any more.',
    labelNames: ['mode', 'outcome'] as const,
    registers,
  });
  const outcomes = ['made', 'paid', 'late'] as const;
  for (const mode of MODES) for (const outcome of outcomes) codes.inc({ mode, outcome }, 0);
  return {
    qrCode: (outcome, of) => codes.inc({ mode: modeOf(of), outcome }),
  };
}

/** What a try to send a mail came to; one that is tried again was `retried`. */
const mailOutcomes = [...mailStatuses.filter((status) => status !== 'queued'), 'retried'] as const;

function mailMetrics(registers: Registry[]) {
  const mails = new Counter({
    name: 'fatura_mails_total',
    help: 'E-mails by mode and by what a try to send them came to.',
    labelNames: ['mode', 'outcome'] as const,
    registers,
  });
  for (const mode of MODES) for (const outcome of mailOutcomes) mails.inc({ mode, outcome }, 0);
  return mails;
}

function lagMetric(registers: Registry[]) {
  const lag = new Histogram({
    name: 'fatura_webhook_lag_seconds',
    help: 'From an event to the end of its first attempt at an endpoint, by mode.',
    labelNames: ['mode'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  for (const mode of MODES) lag.zero({ mode });
  return lag;
}

/** What `GET /metrics` shows of the business; no label is of an account. */
export const businessMetrics = (registers: Registry[]) => ({
  ...chargeMetrics(registers),
  ...pixMetrics(registers),
  mails: mailMetrics(registers),
  webhookLag: lagMetric(registers),
  overdue: new Gauge({
    name: 'fatura_overdue_centavos',
    help: 'What open live invoices are asked for that are due since before today, in centavos.',
    // Each worker measures the same rows.
    aggregator: 'max',
    registers,
  }),
});
