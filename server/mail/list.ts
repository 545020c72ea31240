import type { z } from 'zod';
import type { MailListQuery, MailOccasion, MailStatus, Mail as MailView } from '../../contract/mails.ts';
import { mine, readIn, type Statement, statement, unixSeconds } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type Page, pageLimit, toPage, written } from '../kernel/pages.ts';
import type { Timestamp } from '../kernel/time.ts';
import { withoutSignatures } from '../sealing/links.ts';
import { belowWatermark, cursorOfNothing, readCursor } from '../unit-of-work/lists.ts';
import { type From, readForPage } from '../unit-of-work/page-rows.ts';
import type { Scope } from '../unit-of-work/tx.ts';

interface MailRow {
  readonly id: string;
  readonly created: Timestamp;
  readonly occasion: MailOccasion;
  readonly step: number | null;
  readonly status: MailStatus;
  readonly recipient: string | null;
  readonly subject: string | null;
  readonly text: string | null;
  readonly reason: string | null;
  readonly sentAt: Timestamp | null;
  readonly customerId: string | null;
  readonly invoiceId: string | null;
  readonly subscriptionId: string | null;
  readonly endpointId: string | null;
}

type Order = 'ASC' | 'DESC';

const ROW = `m.id, m.created, m.occasion, m.step, m.status, m.recipient, m.subject, m.body_text AS text,
  CASE WHEN m.status <> 'queued' THEN m.last_error END AS reason, ${unixSeconds('m.sent_at')} AS "sentAt",
  m.customer_id AS "customerId", m.invoice_id AS "invoiceId", m.subscription_id AS "subscriptionId", m.endpoint_id AS "endpointId"`;

const WITHIN = `${mine('m')} AND m.id > :above AND m.id < :below AND m.created BETWEEN :from AND :to`;

const IN_STATUS = '(:status::text IS NULL OR m.status = :status)';

/** `mails` are the rows `m` of a page and those beyond it. */
const inBothOrders = (name: string, mails: string): Readonly<Record<Order, Statement<MailRow>>> => {
  const listed = (order: Order, suffix: string) =>
    statement<MailRow>(
      `list_mails${name}${suffix}`,
      `SELECT ${ROW} FROM (${mails}) m ORDER BY m.id ${order} LIMIT :limit`,
    );
  return { DESC: listed('DESC', ''), ASC: listed('ASC', '_forward') };
};

const all = inBothOrders('', `SELECT m.* FROM mail m WHERE ${WITHIN} AND ${IN_STATUS}`);
/** In the words of the index that has them: few among many that were sent. */
const unsent = inBothOrders(
  '_unsent',
  `SELECT m.* FROM mail m WHERE ${WITHIN} AND m.status <> 'sent' AND m.status = :status`,
);
const ofInvoice = inBothOrders(
  '_of_invoice',
  `SELECT m.* FROM mail m WHERE m.invoice_id = :invoiceId AND ${WITHIN} AND ${IN_STATUS}`,
);
const ofCustomer = inBothOrders(
  '_of_customer',
  `SELECT m.* FROM mail m WHERE m.customer_id = :customerId AND (:invoiceId::text IS NULL OR m.invoice_id = :invoiceId) AND ${WITHIN} AND ${IN_STATUS}`,
);

const mailExists = statement<{ id: string }>(
  'mail_exists',
  `SELECT m.id FROM mail m WHERE m.id = :id AND ${mine('m')}`,
);

/** What its reader does by the link of a letter where that is not to pay and the like: confirm who it is, or nothing. */
const LINK: Readonly<Partial<Record<MailOccasion, 'proves' | 'none'>>> = {
  confirmation: 'proves',
  portal_link: 'proves',
  endpoint_failing: 'none',
  endpoint_disabled: 'none',
  acquirer_certificate_ending: 'none',
  account_changed: 'none',
};

/** Nobody but the reader confirms an address, or the merchant would vouch for a stranger. */
const isLinkShown = (occasion: MailOccasion, showsLinks: boolean): boolean =>
  LINK[occasion] === 'none' || (LINK[occasion] === undefined && showsLinks);

const viewMail = (row: MailRow, { liveMode, showsLinks }: { liveMode: boolean; showsLinks: boolean }): MailView => ({
  id: row.id,
  object: 'mail',
  occasion: row.occasion,
  day: row.step,
  recipient: row.recipient,
  subject: row.subject,
  text: row.text === null || isLinkShown(row.occasion, showsLinks) ? row.text : withoutSignatures(row.text),
  status: row.status,
  reason: row.reason,
  created: row.created,
  sent_at: row.sentAt,
  customer: row.customerId,
  invoice: row.invoiceId,
  subscription: row.subscriptionId,
  webhook_endpoint: row.endpointId,
  live_mode: liveMode,
});

type Query = z.output<typeof MailListQuery>;
type Reading = Pick<Deps, 'pool' | 'watermark'>;

/** Between the first and the last id that there can be. */
const EVERYTHING = { above: 'mail_', below: 'mail_~' };

async function boundsOf({ pool, watermark }: Reading, scope: Scope, query: Query) {
  const cursor = readCursor(query);
  if (cursor === null) return EVERYTHING;
  const { param, id } = cursor;
  if ((await readIn(pool, scope, mailExists, { id })).length === 0) throw cursorOfNothing(param, id);
  if (param === 'starting_after') return { ...EVERYTHING, below: id };
  return { above: id, below: belowWatermark(id, await watermark.find()) };
}

/** What is looked among, and by which values beside those of every list. */
function among({ customer_id: customerId, invoice_id: invoiceId, status: asked }: Query) {
  const status = asked ?? null;
  if (customerId !== undefined) return { list: ofCustomer, by: { customerId, invoiceId: invoiceId ?? null, status } };
  if (invoiceId !== undefined) return { list: ofInvoice, by: { invoiceId, status } };
  return { list: status === null || status === 'sent' ? all : unsent, by: { status } };
}

/** E-mails of the account's mode, newest first; without `showsLinks` nobody acts by what their texts lead to. */
export async function listMails(
  deps: Reading,
  scope: Scope,
  { query, showsLinks }: { query: Query; showsLinks: boolean },
): Promise<Page<MailView>> {
  const bounds = await boundsOf(deps, scope, query);
  const { created_gte: from = 0, created_lte: to = Number.MAX_SAFE_INTEGER } = query;
  const { list, by } = among(query);
  const order = query.ending_before === undefined ? 'DESC' : 'ASC';
  const read = async ({ behind, limit }: From) => {
    const further = behind === undefined ? {} : { [order === 'DESC' ? 'below' : 'above']: behind };
    const rows = await readIn(deps.pool, scope, list[order], { ...bounds, ...further, from, to, ...by, limit });
    const { liveMode } = scope;
    return rows.map((row) => ({ at: row.id, ...written(viewMail(row, { liveMode, showsLinks })) }));
  };
  const url = '/api/v1/mails';
  return toPage(await readForPage({ scope, url, limit: pageLimit(query) + 1 }, read), { query, url });
}
