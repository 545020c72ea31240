import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { INSTALLMENTS_MAX } from '../../contract/catalog.ts';
import { CustomerCreate } from '../../contract/customers.ts';
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts';
import { evenWhenInvalid } from '../../contract/kernel.ts';
import {
  BillingDetailsInput,
  type CheckoutByCard,
  cardOrToken,
  checkCardOrToken,
} from '../../contract/payment-methods.ts';
import type { BuyerValues } from '../../web/page/buyer-fields.ts';
import type { Problem } from '../../web/page/page-data.ts';
import { networkForms } from '../accounts/networks.ts';
import type { RateLimit, RateLimiter, Verdict } from '../admission/rate-limit.ts';
import type { BuyerForm } from '../checkout/attach.ts';
import { hasAddress } from '../customers/name.ts';
import { customerTextForms } from '../customers/rules.ts';
import type { Deps } from '../deps.ts';
import { countedAddress } from '../http/address.ts';
import { bodyReader, formReader } from '../http/body.ts';
import { toRefusal } from '../http/error-handler.ts';
import { isPrivate } from '../http/private.ts';
import { withTextForms } from '../http/strict-contract.ts';
import { dotted } from '../http/validation.ts';
import { BillingError } from '../kernel/errors.ts';
import type { LinkedPage } from '../kernel/links.ts';
import { modeNotServed } from '../kernel/mode.ts';
import { HOUR } from '../kernel/time.ts';
import type { CardTesting } from '../payments/card/card-testing.ts';
import { cardForms } from '../payments/card/number.ts';
import { accountTextForms } from '../profile/rules.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** Many times a card with the longest address. */
const BODY_BYTES_MAX = 8 * 1_024;
const FIELDS_MAX = 20;

/** A request of a page that is refused; what was wrong with it is told in the words of the page. */
export class PageRefusal extends Error {
  readonly status: number;
  readonly problem: Problem;
  constructor(status: number, { code, fields = [] }: { code: Problem['code']; fields?: readonly string[] }) {
    super(code);
    this.status = status;
    this.problem = { code, declineReason: null, fields };
  }
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);

/**
 * Refuses what the page of another site sends. A browser says where a request comes from, in one header or the other, and
 * lets no page change that.
 */
export function refuseOtherSites(request: Request, publicUrl: string): void {
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const ours = [hostOf(publicUrl), request.get('host')];
  const isOurs =
    site === undefined ? origin !== undefined && ours.includes(hostOf(origin) ?? '') : site === 'same-origin';
  if (!isOurs) throw new PageRefusal(403, { code: 'CROSS_SITE' });
}

/** The origin of a form on a page whose address is told to nobody. */
const UNTOLD_ORIGIN = 'null';

/** A form without a script says less: what is known to come from elsewhere is refused. */
export function refuseOtherSitesForm(request: Request, publicUrl: string): void {
  const origin = request.get('origin') ?? UNTOLD_ORIGIN;
  const isUntold = request.get('sec-fetch-site') === undefined && origin === UNTOLD_ORIGIN;
  if (!isUntold) refuseOtherSites(request, publicUrl);
}

/** What a link names, of a mode that this process serves, else 421; null: it was not made here, and nothing is looked up for it. */
export function idOfLink(
  { links, settings: { modes } }: Pick<Deps, 'links' | 'settings'>,
  page: LinkedPage,
  { id = '', signature = '' }: { id: string | undefined; signature: string | undefined },
): string | null {
  const mode = links.modeOf(page, { id, signature });
  if (mode === null) return null;
  if (!modes.includes(mode)) throw modeNotServed(modes);
  return id;
}

/** The card of a real buyer goes over TLS alone (docs/product/requests.md#over-tls). */
export function refusePlainHttp(request: Request, { liveMode }: { readonly liveMode: boolean }): void {
  if (liveMode && !isPrivate(request)) throw new PageRefusal(403, { code: 'PLAIN_HTTP' });
}

/**
 * Tries of each link in a minute, and of each address in an hour while cards are tested (docs/product/payment-page.md#limits). A page whose stream is cut again and again opens one
 * every three seconds and asks every five in between, 32 times a minute: `state` is that of seven such pages.
 */
export const tries = {
  view: { name: 'page_view', max: 60, block: 5 },
  state: { name: 'page_state', max: 240, block: 10 },
  card: { name: 'page_card', max: 6, block: 1 },
  pix: { name: 'page_pix', max: 20, block: 1 },
  firstCode: { name: 'page_first_code', max: 4, block: 1 },
  buyer: { name: 'page_buyer', max: 10, block: 1 },
  code: { name: 'page_code', max: 10, block: 1, windowSeconds: HOUR },
  simulation: { name: 'page_simulation', max: 20, block: 1 },
  cardOfAddress: { name: 'page_card_of_address', max: 3, block: 1, windowSeconds: HOUR },
  sale: { name: 'page_sale', max: 600, block: 20 },
  saleOpened: { name: 'page_sale_opened', max: 30, block: 1 },
  confirmation: { name: 'page_confirmation', max: 20, block: 1 },
  letter: { name: 'page_letter', max: 60, block: 10 },
  receipt: { name: 'page_receipt', max: 60, block: 10 },
  receiptFile: { name: 'page_receipt_file', max: 10, block: 1 },
  exportFile: { name: 'page_export_file', max: 10, block: 1 },
  portal: { name: 'page_portal', max: 60, block: 5 },
  portalAct: { name: 'page_portal_act', max: 20, block: 1 },
  /** Links that open nothing, of one address. */
  portalMiss: { name: 'page_portal_miss', max: 20, block: 1 },
} as const satisfies Record<string, RateLimit>;

/** What is asked for at the link of an id, under which it is counted. */
interface Try {
  readonly id: string;
  readonly limit: RateLimit;
}

function tooOften(response: Response, { resetSeconds }: Verdict): PageRefusal {
  response.setHeader('Retry-After', String(resetSeconds));
  return new PageRefusal(429, { code: 'RATE_LIMITED' });
}

export async function admit(limiter: RateLimiter, response: Response, { id, limit }: Try): Promise<void> {
  const verdict = await limiter.consume(id, limit);
  if (!verdict.allowed) throw tooOften(response, verdict);
}

/** While stolen cards are tested at the links of an account, an address tries few (docs/product/cards.md#too-many-declines). */
export async function admitCard(
  { limiter, cardTesting }: { limiter: RateLimiter; cardTesting: CardTesting },
  { request, response, scope }: { request: Request; response: Response; scope: Scope },
): Promise<void> {
  if (!(await cardTesting.isActive(scope))) return;
  const id = `${scope.accountId}:${countedAddress(request.ip)}`;
  const { allowed, resetSeconds } = await limiter.consume(id, tries.cardOfAddress);
  if (allowed) return;
  response.setHeader('Retry-After', String(resetSeconds));
  throw new PageRefusal(429, { code: 'CARD_ATTEMPTS_EXHAUSTED' });
}

/** Refuses what is known to be too often without a question to the database; counts nothing. */
export function refuseSpent(limiter: RateLimiter, response: Response, { id, limit }: Try): void {
  const verdict = limiter.spent(id, limit);
  if (verdict !== null) throw tooOften(response, verdict);
}

const bodyBy =
  (reader: RequestHandler) =>
  (request: Request, response: Response): Promise<unknown> =>
    new Promise((resolve, reject) => {
      reader(request, response, (error?: unknown) => (error === undefined ? resolve(request.body) : reject(error)));
    });

const bodyOf = bodyBy(bodyReader(BODY_BYTES_MAX));
const formOf = bodyBy(formReader({ bytesMax: BODY_BYTES_MAX, fieldsMax: FIELDS_MAX }));

/** The forms of all texts that buyers send. */
export const buyerTextForms = { ...customerTextForms, ...accountTextForms, ...networkForms, ...cardForms };

const cardBody = withTextForms(
  z
    .strictObject({
      installments: z.int().min(1).max(INSTALLMENTS_MAX),
      ...cardOrToken,
      billing_details: BillingDetailsInput,
      expected_total: z.int().min(0).optional(),
    })
    .superRefine(checkCardOrToken, evenWhenInvalid),
  buyerTextForms,
);

/** A body as its schema has it; the names of the fields at fault, and nothing of what came, are told of any other. */
function valid(schema: z.ZodType, body: unknown): unknown {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const fields = [...new Set(error.issues.map(({ path }) => dotted(path)))].slice(0, FIELDS_MAX);
  throw new PageRefusal(400, { code: 'PARAMETER_INVALID', fields });
}

const withoutDocument = z.looseObject({
  billing_details: z.looseObject({}).refine((details) => !('document' in details)),
});

/** A holder without a document is the buyer, whose CPF is known here and told to no browser. */
function ofBuyer(body: unknown, cpf: string | null): unknown {
  const { success, data } = withoutDocument.safeParse(body);
  return success && cpf !== null ? { ...data, billing_details: { ...data.billing_details, document: cpf } } : body;
}

/** What a page sends of a card; nothing of it is ever repeated in an answer. */
export async function readCard(request: Request, response: Response, buyerCpf: string | null): Promise<CheckoutByCard> {
  const data = valid(cardBody, ofBuyer(await bodyOf(request, response), buyerCpf));
  // The checks of the texts' forms hide the type of what they check.
  return { payment_method_type: 'card', ...(data as Omit<CheckoutByCard, 'payment_method_type'>) };
}

const buyerBody = withTextForms(
  z.strictObject({
    // It may come to stand in letters.
    name: CustomerCreate.shape.name.refine((name) => !hasAddress(name)),
    identifier: CustomerCreate.shape.identifier,
    email: CustomerCreate.shape.email,
    phone: CustomerCreate.shape.phone.unwrap().unwrap(),
  }),
  buyerTextForms,
);

const buyerIn = (body: unknown): BuyerForm => valid(buyerBody, body) as BuyerForm; // its text forms hide the type

const codeBody = z.strictObject({ promotion_code: z.string().max(100) });

/** The promotion code that a page sends. */
export async function readCode(request: Request, response: Response): Promise<string> {
  const { promotion_code: text } = valid(codeBody, await bodyOf(request, response)) as z.output<typeof codeBody>;
  return text;
}

/** What a page sends of its buyer. */
export const readBuyerForm = async (request: Request, response: Response): Promise<BuyerForm> =>
  buyerIn(await bodyOf(request, response));

/** The form of a buyer that came without a script: what was typed, and the buyer that it names, or the refusal of it. */
export interface SentForm {
  /** A promotion code that was typed, in a form of its own. */
  readonly code: string | null;
  readonly typed: BuyerValues;
  readonly buyer: () => BuyerForm;
}

/** The fields of a form, as they came. */
export async function readFields(request: Request, response: Response): Promise<Readonly<Record<string, unknown>>> {
  // The parser makes an object of the fields, and nothing of no body.
  return ((await formOf(request, response)) ?? {}) as Readonly<Record<string, unknown>>;
}

/** What a page without a script sends; null: nothing was filled in, its button was pressed. */
export async function readForm(request: Request, response: Response): Promise<SentForm | null> {
  const fields = await readFields(request, response);
  if (Object.keys(fields).length === 0) return null;
  const typed = (name: keyof BuyerValues): string => (typeof fields[name] === 'string' ? fields[name] : '');
  return {
    code: typeof fields.promotion_code === 'string' ? fields.promotion_code : null,
    typed: { name: typed('name'), identifier: typed('identifier'), email: typed('email'), phone: typed('phone') },
    buyer: () => buyerIn(fields),
  };
}

const nothing = z.strictObject({});

/** An action that takes no parameters is JSON all the same: no form of another site can send that. */
export async function readNothing(request: Request, response: Response): Promise<void> {
  if (!nothing.safeParse(await bodyOf(request, response)).success) {
    throw new PageRefusal(400, { code: 'PARAMETER_INVALID' });
  }
}

export interface Refused {
  readonly status: number;
  readonly problem: Problem;
}

/** What an error is to the buyer; a fault that is none of the catalogue's is logged. */
export function refusedBy(deps: Pick<Deps, 'logger'>, error: unknown, request: Request): Refused {
  const refused = error instanceof PageRefusal ? error : refusalOf(deps, error, request);
  request.refusedWith = refused.problem.code;
  return refused;
}

function refusalOf(deps: Pick<Deps, 'logger'>, error: unknown, { requestId, res: response }: Request): Refused {
  const refusal = toRefusal(error);
  const retryAfterSeconds = refusal?.retryAfterSeconds ?? null;
  if (retryAfterSeconds !== null && response?.headersSent === false) {
    response.setHeader('Retry-After', String(retryAfterSeconds));
  }
  if (refusal === null) deps.logger.error({ err: error, requestId }, 'unexpected fault');
  const code: ErrorCode = refusal?.code ?? 'INTERNAL_ERROR';
  const { declineReason = null, param = null } = refusal ?? {};
  return { status: errorCatalog[code].status, problem: { code, declineReason, fields: param === null ? [] : [param] } };
}

/** A try needs a key of its own, under which a repeat charges nothing again. */
export function requireIdempotencyKey(request: Request): void {
  if (request.get('idempotency-key') !== undefined) return;
  throw new BillingError('PARAMETER_MISSING', { message: 'Idempotency-Key is required', param: 'Idempotency-Key' });
}
