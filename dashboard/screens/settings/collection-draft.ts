import type { CollectionSettings, CollectionSettingsUpdate } from '@fatura/sdk';

/** The settings as they are typed. */
export interface CollectionDraft {
  readonly overdue: string;
  readonly suspend: string;
  readonly cancel: string;
  readonly retries: string;
  readonly portalCancel: CollectionSettings['portal']['cancel'];
  readonly pause: boolean;
  readonly prices: string;
}

const joined = (values: readonly (string | number)[]): string => values.join(', ');
const split = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

export const draftOfCollection = (settings: CollectionSettings): CollectionDraft => ({
  overdue: String(settings.overdue_days),
  suspend: String(settings.suspend_days),
  cancel: String(settings.cancel_days),
  retries: joined(settings.retry_days),
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
    ...(Object.keys(portal).length > 0 && { portal }),
  };
}
