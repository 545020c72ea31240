import type { CollectionDays } from '../../kernel/collection-days.ts';
import { HOUR, MINUTE, type Timestamp } from '../../kernel/time.ts';
import type { Invoice } from '../entity.ts';
import { nextStep, type StepKind } from './rules.ts';

/** Says on an open invoice what is done with it next. */
export function schedule(invoice: Invoice, days: CollectionDays): void {
  const next = invoice.status === 'open' ? nextStep(invoice, days) : null;
  invoice.step = next?.step ?? null;
  invoice.stepAt = next?.at ?? null;
}

/** Whether this is what is to be done with the invoice now. */
export const isDue = ({ status, step, stepAt }: Invoice, wanted: StepKind, now: Timestamp): boolean =>
  status === 'open' && step === wanted && stepAt != null && stepAt <= now;

/** What decides on the invoice is under way: it is scheduled again by what comes of that. */
export function park(invoice: Invoice): void {
  invoice.step = null;
  invoice.stepAt = null;
}

/** Shortest and longest wait for something that nobody tells of, on the account's clock. */
const PAUSE_MIN = MINUTE;
const PAUSE_MAX = HOUR;

/** The step that is due waits: as long again as it has waited already, so that what lasts is looked at ever more rarely. */
export function postpone(invoice: Invoice, days: CollectionDays, now: Timestamp): void {
  const waited = now - (nextStep(invoice, days)?.at ?? now);
  invoice.stepAt = now + Math.min(PAUSE_MAX, Math.max(PAUSE_MIN, waited));
}
