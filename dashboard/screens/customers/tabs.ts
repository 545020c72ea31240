/** What is shown of a customer, a part at a time; the first one at first. */
export const customerTabs = ['timeline', 'invoices', 'subscriptions', 'mails', 'notes', 'data'] as const;
export type CustomerTab = (typeof customerTabs)[number];
