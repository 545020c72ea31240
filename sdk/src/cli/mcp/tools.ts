import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { RouteId } from '../../generated/routes.ts';
import { type RouteTool, routeTools } from '../../generated/tools.ts';
import type { Fatura } from '../../index.ts';
import { cardFields, checkoutFields } from './cards.ts';
import { diagnoseWebhooks, explainErrors } from './diagnosis.ts';
import { isCreation, isSandboxOnly, type Policy, policyOf } from './policy.ts';
import type { Args } from './previews.ts';

/** A model reads every object of a page. */
const LIMIT_MAX = 20;
const LIMIT_DEFAULT = 10;

/** What the server was started for. */
export interface Mode {
  readonly live: boolean;
  readonly writes: boolean;
}

/** A tool of this server: a route, or something of its own that only reads. */
export type Offer =
  | { readonly tool: Tool; readonly route: RouteId; readonly policy: Exclude<Policy, object> }
  | { readonly tool: Tool; readonly read: (fatura: Fatura, args: Args, signal: AbortSignal) => unknown };

const cardRoutes: readonly RouteId[] = ['invoices.checkout', 'subscriptions.checkout'];
const replacing: RouteId = 'subscriptions.updatePaymentMethod';

export const takesCards = (route: RouteId): boolean => route === replacing || cardRoutes.includes(route);

const confirmation = {
  type: 'string',
  maxLength: 100,
  description:
    'What the person reads to you once they agree to what the answer of the same call without it says. They see it elsewhere; you never do.',
};

const repeat = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description:
    'The same call within 10 minutes acts once; another text here acts once more, and the same text once for 72 hours.',
};

function fieldsOf(route: RouteId, { input, takes }: RouteTool, mode: Mode): Record<string, object> {
  const fields: Record<string, object> = { ...input.properties };
  if (cardRoutes.includes(route)) Object.assign(fields, checkoutFields(mode.live));
  if (route === replacing) return { id: { ...fields.id }, ...cardFields };
  if (takes === 'query' && fields.limit !== undefined) {
    const description = `Objects of the page: 1 to ${LIMIT_MAX}, default ${LIMIT_DEFAULT}.`;
    fields.limit = { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT, description };
  }
  return fields;
}

function requiredOf(route: RouteId, { input }: RouteTool): string[] {
  if (cardRoutes.includes(route)) return [...input.required, 'payment_method_type'];
  return route === replacing ? ['id', 'test_card'] : [...input.required];
}

function annotationsOf(policy: Policy, actsOnce: boolean) {
  const reads = policy === 'reads';
  return {
    readOnlyHint: reads,
    destructiveHint: policy === 'changes' || policy === 'confirmed',
    idempotentHint: actsOnce,
    openWorldHint: false,
  };
}

function offerOf(route: RouteId, policy: Exclude<Policy, object>, mode: Mode): Offer {
  const row = routeTools[route];
  const fields = fieldsOf(route, row, mode);
  if (policy === 'confirmed') fields.confirmation_code = confirmation;
  else if (isCreation(route)) fields.idempotency_key = repeat;
  const inputSchema = {
    type: 'object' as const,
    properties: fields,
    required: requiredOf(route, row),
    additionalProperties: false,
  };
  const { name, title, description } = row;
  const actsOnce = policy === 'reads' || policy === 'changes' || (policy === 'adds' && isCreation(route));
  return {
    route,
    policy,
    tool: { name, title, description, inputSchema, annotations: annotationsOf(policy, actsOnce) },
  };
}

const own: readonly Offer[] = [
  {
    tool: {
      name: 'webhooks_diagnose',
      title: 'Why webhooks do not arrive',
      description:
        'Deliveries that failed or are tried again, by endpoint, each with the reason, what the receiver answered, and what to do about it.',
      inputSchema: {
        type: 'object',
        properties: { webhook_endpoint: { type: 'string', description: 'Only of this endpoint, we_…; default all.' } },
        additionalProperties: false,
      },
      annotations: annotationsOf('reads', true),
    },
    read: diagnoseWebhooks,
  },
  {
    tool: {
      name: 'errors_explain',
      title: 'What error codes mean',
      description:
        'What a code of an error means, its HTTP status, and whether the same request may be repeated; without a code, all.',
      inputSchema: {
        type: 'object',
        properties: { code: { type: 'string', description: 'Such as INVOICE_NOT_OPEN.' } },
        additionalProperties: false,
      },
      annotations: annotationsOf('reads', true),
    },
    read: (_fatura, args) => explainErrors(args),
  },
];

/** The routes by the names of their tools, those that are not offered among them. */
export const routeOfTool: ReadonlyMap<string, RouteId> = new Map(
  (Object.keys(routeTools) as RouteId[]).map((route) => [routeTools[route].name, route]), // its keys are the routes
);

/** The tools of a session by their names. */
export function offersOf(mode: Mode): ReadonlyMap<string, Offer> {
  const offers = [...routeOfTool.values()].flatMap((route) => {
    const policy = policyOf(route);
    if (typeof policy === 'object' || (mode.live && isSandboxOnly(route))) return [];
    // Another card of a subscription would be a real one.
    if (mode.live && route === replacing) return [];
    return policy === 'reads' || mode.writes ? [offerOf(route, policy, mode)] : [];
  });
  return new Map([...offers, ...own].map((offer) => [offer.tool.name, offer]));
}

/** A list asked for without a limit answers a short page. */
export const withLimit = (tool: Tool, args: Args): Args =>
  tool.inputSchema.properties?.limit === undefined || args.limit !== undefined
    ? args
    : { ...args, limit: LIMIT_DEFAULT };
