import type { AppRoute } from '@ts-rest/core';
import type { generateOpenApi } from '@ts-rest/open-api';
import { z } from 'zod';
import { type AnsweringRoute, answeringRoute, codesOf } from '../error-routes.ts';
import { type ErrorCode, errorCatalog, errorCodes } from '../errors.ts';
import { exampleId, exampleRequestId, type RouteMetadata, routeLimits } from '../kernel.ts';
import { answerExamples, requestExamples, type Story } from './examples.ts';
import { tags } from './texts.ts';

export type Operation = ReturnType<NonNullable<Parameters<typeof generateOpenApi>[2]>['operationMapper'] & {}>;

const successDescriptions: Record<number, string> = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' };

const meaningsOf = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `\`${code}\`: ${errorCatalog[code].doc}`).join('\n\n');

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** What of a request breaks a rule, where a code is about a parameter. */
const violations: Partial<Record<ErrorCode, { readonly param: string; readonly message: string }>> = {
  PARAMETER_INVALID: {
    param: 'invoice.line_items[0].quantity',
    message: 'invoice.line_items[0].quantity must be at most 999, got 1000',
  },
  PARAMETER_MISSING: { param: 'invoice.line_items', message: 'invoice.line_items is required' },
  PARAMETER_UNKNOWN: { param: 'invoice.amount', message: 'invoice.amount is not a parameter of this request' },
};

/** An error as the service sends it, but for what its message tells of the request. */
const exampleOfError = (code: ErrorCode, serverUrl: string) => ({
  summary: errorCatalog[code].doc,
  value: {
    error: {
      type: errorCatalog[code].type,
      code,
      message: violations[code]?.message ?? errorCatalog[code].doc,
      param: violations[code]?.param ?? null,
      decline_reason: code === 'CARD_DECLINED' ? 'insufficient_funds' : null,
      payment_intent: code === 'ACQUIRER_TIMEOUT' ? exampleId('pi') : null,
      request_id: exampleRequestId,
      doc_url: `${serverUrl}/docs/en/errors#${code}`,
      ...(violations[code] && { errors: [{ code, ...violations[code] }] }),
    },
  },
});

const exampleRef = (code: ErrorCode) => ({ $ref: `#/components/examples/${code}` });

/** The body of each error that the operations of these paths show, by its code. */
export function errorExamples(serverUrl: string, paths: object) {
  const text = JSON.stringify(paths);
  const shown = errorCodes.filter((code) => text.includes(JSON.stringify(exampleRef(code))));
  return Object.fromEntries(shown.map((code) => [code, exampleOfError(code, serverUrl)]));
}

interface Answer {
  description: string;
  headers?: Record<string, object>;
  content?: { 'application/json'?: object };
  'x-error-codes'?: readonly ErrorCode[];
}

/** A request whose key is not known counts in no limit. */
const hasRateLimit = (status: number): boolean => status !== 401;

/** Answers that a repeat under the same key gets again: a success, and a decline. */
const isReplayed = (status: number): boolean => status < 300 || status === 402;

function describeAnswer(answer: Answer, at: { route: AnsweringRoute; status: number; story: Story }): Answer {
  const { route, status, story } = at;
  const headers = {
    'Request-Id': header('RequestId'),
    ...(hasRateLimit(status) && { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') }),
    ...((status === 429 || status === 503) && { 'Retry-After': header('RetryAfter') }),
    ...(status === 401 && { 'WWW-Authenticate': header('WwwAuthenticate') }),
    ...(isReplayed(status) && route.takesKey && { 'Idempotent-Replayed': header('IdempotentReplayed') }),
  };
  const success = successDescriptions[status];
  const showing = (examples: object) => ({ 'application/json': { ...answer.content?.['application/json'], examples } });
  if (success !== undefined) {
    return {
      ...answer,
      description: success,
      headers,
      content: showing(answerExamples(story, { id: route.id, status })),
    };
  }
  const codes = codesOf(route, status);
  const content = showing(Object.fromEntries(codes.map((code) => [code, exampleRef(code)])));
  return { ...answer, description: meaningsOf(codes), headers, content, 'x-error-codes': codes };
}

/** What an operation answers; statuses that routers share and this operation has no code for are left out. */
function describeAnswers(
  answers: Record<string, Answer>,
  { route, story }: { route: AnsweringRoute; story: Story },
): Record<string, Answer> {
  const statuses = Object.keys(answers).filter(
    (status) => status in successDescriptions || codesOf(route, Number(status)).length > 0,
  );
  return Object.fromEntries(
    // The statuses are keys of the answers.
    statuses.map((status) => [
      status,
      describeAnswer(answers[status] as Answer, { route, status: Number(status), story }),
    ]),
  );
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description:
    'Makes the request safe to repeat for 72 hours: 1 to 255 characters of your choice, unique to the request.',
  schema: { type: 'string' as const, minLength: 1, maxLength: 255, examples: ['8f14e45f-ceea-467f-a8d9-4b9f1f2c1d11'] },
};

/** A body that an action does without may be absent. */
const isBodyRequired = (route: AppRoute): boolean =>
  'body' in route && route.body instanceof z.ZodType && !route.body.safeParse(undefined).success;

const tagOf = (id: string): string => {
  const [tag = ''] = id.split('.');
  if (!Object.hasOwn(tags, tag)) throw new Error(`the operation ${id} belongs to no group of openapi/texts.ts`);
  return tag;
};

type Body = NonNullable<Operation['requestBody']>;

function describeBody(body: Body, { id, route, story }: { id: string; route: AppRoute; story: Story }): Body {
  if (!('content' in body)) return body;
  const examples = requestExamples(story, id);
  const content = Object.entries(body.content).map(([type, of]) => [
    type,
    { ...of, ...(Object.keys(examples).length > 0 && { examples }) },
  ]);
  return { ...body, content: Object.fromEntries(content), required: isBodyRequired(route) };
}

/** What is said of an operation that counts in a limit of its own. */
function withLimit(description: string | undefined, { limit }: RouteMetadata) {
  if (limit === undefined) return {};
  const said = `At most ${routeLimits[limit]} requests a minute.`;
  return { description: description === undefined ? said : `${description} ${said}`, 'x-rate-limit': limit };
}

/** An operation as readers and generators want it: its group, scope, codes, headers, required body and examples. */
export function describeOperation(operation: Operation, route: AppRoute, story: Story): Operation {
  const id = String(operation.operationId);
  const answering = answeringRoute(id, route);
  const { metadata, takesKey } = answering;
  const parameters = operation.parameters ?? [];
  const { requestBody } = operation;
  return {
    ...operation,
    tags: [tagOf(id)],
    responses: describeAnswers(operation.responses, { route: answering, story }),
    security: [{ ApiKey: [metadata.scope] }],
    ...(requestBody !== undefined && { requestBody: describeBody(requestBody, { id, route, story }) }),
    parameters: takesKey ? [...parameters, idempotencyParameter] : parameters,
    'x-scope': metadata.scope,
    ...(metadata.sandboxOnly === true && { 'x-sandbox-only': true }),
    ...withLimit(operation.description, metadata),
  };
}
