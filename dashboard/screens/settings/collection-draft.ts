import type { CollectionSettings, CollectionSettingsUpdate, LateFees } from '@fatura/sdk';

/** The settings as they are typed. */
export interface CollectionDraft {
  readonly overdue: string;
  readonly suspend: string;
  readonly cancel: string;
  readonly retries: string;
  readonly reminders: string;
  /** What it costs to pay late; the other fields are kept while it is not asked. */
  readonly asksLate: boolean;
  readonly fine: string;
  readonly interest: string;
  readonly grace: string;
  readonly collect: LateFees['collect'];
  readonly finesUnpaid: boolean;
  readonly portalCancel: CollectionSettings['portal']['cancel'];
  readonly pause: boolean;
  readonly prices: string;
}

const joined = (values: readonly (string | number)[]): string => values.join(', ');
const split = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

/** The legal limits: where most merchants begin. */
const USUAL: LateFees = { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'at_payment' };

/** As a percentage is typed in Brazil, and elsewhere. */
const percentOf = (text: string): number => Number(text.trim().replace(',', '.'));

function draftOfLate(late: LateFees | null) {
  const { fine_percentage: fine, interest_percentage: interest, grace_days: grace, collect } = late ?? USUAL;
  return { asksLate: late !== null, fine: String(fine), interest: String(interest), grace: String(grace), collect };
}

const lateOf = (draft: CollectionDraft): LateFees | null =>
  draft.asksLate
    ? {
        fine_percentage: percentOf(draft.fine),
        interest_percentage: percentOf(draft.interest),
        grace_days: Number(draft.grace),
        collect: draft.collect,
      }
    : null;

export const draftOfCollection = (settings: CollectionSettings): CollectionDraft => ({
  overdue: String(settings.overdue_days),
  suspend: String(settings.suspend_days),
  cancel: String(settings.cancel_days),
  retries: joined(settings.retry_days),
  reminders: joined(settings.reminder_days),
  ...draftOfLate(settings.late_fees),
  finesUnpaid: settings.penalty_on_unpaid,
  portalCancel: settings.portal.cancel,
  pause: settings.portal.pause,
  prices: joined(settings.portal.change_prices),
});

/** Only what was changed is sent; the service judges it. */
export function collectionChanges(settings: CollectionSettings, draft: CollectionDraft): CollectionSettingsUpdate {
  const now = draftOfCollection(settings);
  const differs = (name: keyof CollectionDraft): boolean => draft[name] !== now[name];
  const portal = {
    ...(differs('portalCancel') && { cancel: draft.portalCancel }),
    ...(differs('pause') && { pause: draft.pause }),
    ...(differs('prices') && { change_prices: split(draft.prices) }),
  };
  return {
    ...(differs('overdue') && { overdue_days: Number(draft.overdue) }),
    ...(differs('suspend') && { suspend_days: Number(draft.suspend) }),
    ...(differs('cancel') && { cancel_days: Number(draft.cancel) }),
    ...(differs('retries') && { retry_days: split(draft.retries).map(Number) }),
    ...(differs('reminders') && { reminder_days: split(draft.reminders.replaceAll('−', '-')).map(Number) }),
    ...((['asksLate', 'fine', 'interest', 'grace', 'collect'] as const).some(differs) && { late_fees: lateOf(draft) }),
    ...(differs('finesUnpaid') && { penalty_on_unpaid: draft.finesUnpaid }),
    ...(Object.keys(portal).length > 0 && { portal }),
  };
}
