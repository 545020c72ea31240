import type { MailOccasion } from '../../contract/mails.ts';
import type { Customer } from '../customers/entity.ts';
import { looksLikeName } from '../customers/name.ts';
import { mine, statement } from '../db/statement.ts';
import { newId } from '../kernel/ids.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Letter, layOutToBuyer, type Words } from './letter.ts';
import { isWritten, senderIn } from './settings.ts';
import { eraseTyped } from './typed-email.ts';

export const insertMails = statement(
  'insert_mails',
  `INSERT INTO mail (id, account_id, live_mode, created, customer_id, invoice_id, subscription_id, endpoint_id, certificate_ends_at, occasion, step, due_at,
     recipient, recipient_name, subject, body_text, body_html, message_id, is_optional, attaches_receipt)
   SELECT id, :accountId, :liveMode, created, "customerId", "invoiceId", "subscriptionId", "endpointId", to_timestamp("certificateEndsAt"), occasion, step, "dueAt",
     recipient, "recipientName", subject, text, html, "messageId", "isOptional", "attachesReceipt"
   FROM json_to_recordset(:rows::json) AS m(id text, created bigint, "customerId" text, "invoiceId" text, "subscriptionId" text, "endpointId" text,
     "certificateEndsAt" float8, occasion text, step smallint, "dueAt" bigint, recipient text, "recipientName" text, subject text, text text, html text,
     "messageId" text, "isOptional" boolean, "attachesReceipt" boolean)
   ON CONFLICT (invoice_id, step, due_at) DO NOTHING`,
);

/** What a letter to a buyer is about. */
export interface AboutBuyer {
  readonly customerId: string;
  readonly invoiceId?: string | null | undefined;
  readonly subscriptionId?: string | null | undefined;
}

/** A letter, what it is about, and whom it goes to. */
export interface QueuedLetter {
  readonly id?: string;
  readonly about:
    | AboutBuyer
    | { readonly endpointId: string }
    | { readonly certificateEndsAt: Timestamp }
    /** The account itself. */
    | Readonly<Record<never, never>>;
  readonly occasion: MailOccasion;
  /** The day of a reminder, and the due date that it is counted from. */
  readonly reminder?: { readonly step: number; readonly dueAt: Timestamp } | undefined;
  readonly recipient: string;
  readonly recipientName: string;
  /** Whether it is about no money, so that its buyer may want none of its kind. */
  readonly isOptional?: boolean;
  /** Whether the receipt of its invoice goes with it. */
  readonly attachesReceipt?: boolean;
  readonly letter: Letter;
}

const ABOUT_NOTHING = {
  customerId: null,
  invoiceId: null,
  subscriptionId: null,
  endpointId: null,
  certificateEndsAt: null,
};

/** The row of a letter, but for whose it is; `host` is that of our links. */
export function mailOf(
  { id = newId('mail'), about, reminder, letter, isOptional = false, attachesReceipt = false, ...whom }: QueuedLetter,
  { created, host }: { readonly created: Timestamp; readonly host: string },
) {
  return {
    ...{ id, created, isOptional, attachesReceipt },
    ...(reminder ?? { step: null, dueAt: null }),
    messageId: `<${id}@${host}>`,
    ...ABOUT_NOTHING,
    ...about,
    ...whom,
    ...letter,
  };
}

/** Queues a letter with the commit; of a reminder that was queued before nothing is. */
export const queueMail = (tx: Tx, queued: QueuedLetter): void =>
  tx.writeRow(insertMails, mailOf(queued, { created: tx.now, host: tx.links.host }));

/** A letter to a buyer before it is laid out. */
export interface ToBuyer extends Pick<QueuedLetter, 'occasion' | 'reminder' | 'isOptional' | 'recipient'> {
  readonly about: AboutBuyer;
  /** What the buyer is called. Null: it is called by no name. */
  readonly name: string | null;
  readonly words: Words;
  /** Whether it tells of a payment, of which there is a receipt. */
  readonly isOfPayment?: boolean;
}

const findUnsubscribed = statement<{ id: string }>(
  'find_unsubscribed_customer',
  `SELECT u.id FROM customer u WHERE u.id = :customerId AND u.unsubscribed_at IS NOT NULL AND ${mine('u')}`,
);

/** Whether a letter is one that its account or its buyer wants none of. */
async function isUnwanted(tx: Tx, { occasion, isOptional = false, about }: ToBuyer): Promise<boolean> {
  if (!isWritten((await senderIn(tx)).settings, occasion)) return true;
  return isOptional && (await tx.query(findUnsubscribed, { customerId: about.customerId })).length > 0;
}

/** They ask who reads them, or bring the link to the portal themselves. */
const AHEAD_OF_PORTAL: ReadonlySet<MailOccasion> = new Set(['confirmation', 'portal_link']);

/** What the foot of a letter calls the portal: whoever is charged again and again finds there how that ends. */
export const portalName = ({ mayCancel }: { mayCancel: boolean }): string =>
  mayCancel ? 'Ver ou cancelar a assinatura, ver cobranças e recibos' : 'Ver cobranças e recibos';

/** Whether buyers end their subscriptions by themselves, in the portal. */
export const isByBuyer = ({ scope }: Tx): boolean => scope.account.portalCancel !== 'none';

const portalOf = (tx: Tx, { subscriptionId }: AboutBuyer) => ({
  name: portalName({ mayCancel: subscriptionId != null && isByBuyer(tx) }),
  link: tx.links.portal(),
});

/** Queues a letter to a buyer in the look of the account, unless its account or its buyer wants none of the kind. */
export async function queueToBuyer(tx: Tx, letter: ToBuyer): Promise<void> {
  if (await isUnwanted(tx, letter)) return;
  const { about, occasion, reminder, recipient, words, isOptional = false, isOfPayment = false } = letter;
  const { look, settings } = await senderIn(tx);
  const { liveMode } = tx.scope;
  const { links } = tx;
  const id = newId('mail');
  const buyer = nameInLetters(letter.name);
  const frame = {
    ...{ look, liveMode, buyer },
    logo: look.logoDigest === null ? null : links.logo(look.logoDigest),
    sentence: settings.sentence ?? null,
    inBrowser: links.letter({ id, liveMode }),
    portal: AHEAD_OF_PORTAL.has(occasion) ? null : portalOf(tx, about),
    unsubscribe: isOptional ? links.unsubscription({ id: about.customerId, liveMode }) : null,
  };
  queueMail(tx, {
    ...{ id, about, occasion, reminder, recipient, isOptional },
    recipientName: buyer ?? '',
    attachesReceipt: isOfPayment && settings.attachReceipt === true,
    letter: layOutToBuyer(frame, words),
  });
}

/** How a letter calls its buyer; null: by no name, since what was given for one may be any text. */
function nameInLetters(given: string | null): string | null {
  const name = oneLine(given ?? '');
  return looksLikeName(name) ? name : null;
}

const eraseCopies = statement(
  'erase_mails',
  `UPDATE mail m SET recipient = NULL, recipient_name = NULL, subject = NULL, body_text = NULL, body_html = NULL, last_error = NULL,
     status = CASE WHEN m.status IN ('queued', 'held') THEN 'dropped' ELSE m.status END
   WHERE m.customer_id = :customerId AND ${mine('m')}`,
);

/** What was written to an anonymized customer goes with it, and what waits is not sent. Runs behind the locks of its invoices. */
export async function eraseMails(tx: Tx, customer: Customer): Promise<void> {
  await tx.query(eraseCopies, { customerId: customer.id });
  await tx.query(eraseTyped, { customerId: customer.id });
}
