/** Which charges the list shows; those that wait for payment at first. */
export const shownCharges = ['open', 'paid', 'any'] as const;
export type ShownCharges = (typeof shownCharges)[number];
