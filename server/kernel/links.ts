/** What a link leads a buyer to. */
export type LinkedPage = 'invoice' | 'session' | 'subscription' | 'confirmation';

/** Makes the links of the pages for buyers. Whoever has one may do what its page offers, and no other can be guessed from it. */
export interface Links {
  /** The name of the host that they lead to. */
  readonly host: string;
  /** Where a buyer sees and pays an invoice. */
  payment(invoiceId: string): string;
  /** The receipt of a paid invoice; with `.pdf` behind it, as a file. */
  receipt(invoiceId: string): string;
  /** Where a buyer pays a checkout session. */
  checkout(sessionId: string): string;
  /** Where a buyer changes how a subscription is paid. */
  updatePayment(subscriptionId: string): string;
  /** Where whoever reads what is sent to the address of a customer says so. */
  confirmation(customerId: string): string;
  /** The logo of a digest, as mails show it. */
  logo(digest: string): string;
  /** Whether a link to a page was made here. */
  isGenuine(page: LinkedPage, link: { readonly id: string; readonly signature: string }): boolean;
}
