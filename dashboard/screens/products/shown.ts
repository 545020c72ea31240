/** Which products the list shows; all at first. */
export const shownProducts = ['active', 'inactive'] as const;
export type ShownProducts = (typeof shownProducts)[number];
