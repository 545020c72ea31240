import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, problemAnswer } from './answer.ts';
import * as cobOperations from './cob-operations.ts';
import * as cobrOperations from './cobr-operations.ts';
import type { Found, PixDocument } from './document.ts';
import type { Merchant } from './merchant.ts';
import type { Call, Desk, Handler } from './operations.ts';
import * as pixOperations from './pix-operations.ts';
import { type Problem, type ProblemType, PspRefusal } from './problem.ts';
import * as recOperations from './rec-operations.ts';
import type { Registry } from './registry.ts';
import type { Tokens } from './tokens.ts';
import type { Operation, PspTroubles, Struck, Trouble, TroubleKind } from './troubles.ts';
import * as webhookOperations from './webhook-operations.ts';

/** A request as it came over TLS. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** SHA-256 of the caller's certificate if an authority of this PSP signed it and it is valid; null: none of these. */
  readonly fingerprint: string | null;
}

/** What becomes of the connection; `send` is the honest one. */
export interface Outcome {
  readonly wire: 'send' | 'destroy' | 'truncate' | 'cut-off' | 'hang';
  readonly answer: Answer;
}

const NO_CONTENT: Answer = { status: 204 };
const SLOW_MS = 1_000;
const NOT_HERE = 'Recurso não encontrado.';
const NO_TOKEN = 'Token ausente, expirado ou de outro cliente.';
const HTML_FAULT = '<html><body><h1>Internal Server Error</h1></body></html>';

const handlers: Readonly<Record<Operation, Handler>> = {
  ...cobOperations,
  ...pixOperations,
  ...recOperations,
  ...cobrOperations,
  ...webhookOperations,
};

/** The problem that a request against the document is, by what it asks for. */
const invalidTypes: Readonly<Partial<Record<Operation, ProblemType>>> = {
  putCob: 'CobOperacaoInvalida',
  postCob: 'CobOperacaoInvalida',
  patchCob: 'CobOperacaoInvalida',
  getCob: 'CobConsultaInvalida',
  listCobs: 'CobConsultaInvalida',
  listPix: 'PixConsultaInvalida',
  putReturn: 'PixDevolucaoInvalida',
  postRec: 'RecOperacaoInvalida',
  patchRec: 'RecOperacaoInvalida',
  listRecs: 'RecConsultaInvalida',
  putCobR: 'CobROperacaoInvalida',
  postCobR: 'CobROperacaoInvalida',
  patchCobR: 'CobROperacaoInvalida',
  retryCobR: 'CobROperacaoInvalida',
  listCobRs: 'CobRConsultaInvalida',
  putWebhook: 'WebhookOperacaoInvalida',
  putWebhookRec: 'WebhookRecOperacaoInvalida',
  putWebhookCobR: 'WebhookCobROperacaoInvalida',
};

export interface GatewayParts {
  readonly desk: Desk;
  readonly document: PixDocument;
  readonly tokens: Tokens;
  readonly troubles: PspTroubles;
  readonly merchants: Pick<Registry, 'byFingerprint' | 'count'>;
}

interface Asked extends Found {
  readonly path: string;
  readonly merchant: Merchant;
  readonly request: WireRequest;
  readonly query: URLSearchParams;
}

/** What stands before the operations of a PSP: certificates, tokens, scopes, the document, troubles. */
export class Gateway {
  private readonly parts: GatewayParts;

  constructor(parts: GatewayParts) {
    this.parts = parts;
  }

  async handle(request: WireRequest): Promise<Outcome> {
    const { desk, merchants } = this.parts;
    const { foreignCertificate } = desk.profile;
    const merchant = merchants.byFingerprint.get(request.fingerprint ?? '');
    if (merchant === undefined) {
      const status = foreignCertificate === 'handshake' ? 403 : foreignCertificate;
      return this.send(this.problem({ status, type: 'AcessoNegado', detail: 'Certificado ausente ou desconhecido.' }));
    }
    const url = URL.parse(request.url, 'https://psp.invalid');
    if (url?.pathname === desk.profile.token.path && request.method === 'POST')
      return this.giveToken(merchant, request);
    const path = url === null ? '' : this.resourceOf(url.pathname);
    const found = this.parts.document.match(request.method, path);
    if (url === null || found === null)
      return this.send(this.problem({ status: 404, type: 'NaoEncontrado', detail: NOT_HERE }));
    const struck = { merchant: merchant.clientId, operation: found.operation };
    return this.troubled(struck, merchant, async () => {
      try {
        return await this.perform({ ...found, path, merchant, request, query: url.searchParams });
      } catch (error) {
        if (!(error instanceof PspRefusal)) throw error;
        return this.problem(error.problem);
      }
    });
  }

  private giveToken(merchant: Merchant, { headers, body }: WireRequest): Promise<Outcome> {
    const struck = { merchant: merchant.clientId, operation: 'token' as const };
    return this.troubled(struck, merchant, async () => {
      const trouble = this.parts.troubles.strikes('token_downscoped', struck);
      const lost = trouble === null ? [] : (trouble.scopes ?? ['pix.write']);
      const sent = { authorization: headers.authorization, contentType: headers['content-type'], body };
      return this.parts.tokens.answer(merchant, sent, lost);
    });
  }

  /** The path that the document knows; empty: none of this PSP. */
  private resourceOf(pathname: string): string {
    const { basePath, versions } = this.parts.desk.profile;
    if (!pathname.startsWith(`${basePath}/`)) return '';
    const path = pathname.slice(basePath.length);
    if (versions === null) return path;
    const [, version, resource = '', ...rest] = path.split('/');
    const known = rest.length > 0 ? versions.item : versions.list;
    return known[resource] === version && version !== undefined ? `/${[resource, ...rest].join('/')}` : '';
  }

  private async perform(asked: Asked): Promise<Answer> {
    const { operation, scope, path, merchant, request, query, params } = asked;
    const { desk, document, tokens, troubles } = this.parts;
    const token = tokens.read(request.headers.authorization);
    if (token === null || token.merchant !== merchant) {
      return this.problem({ status: 401, type: 'AcessoNegado', detail: NO_TOKEN });
    }
    this.demandCredentials(merchant, request, query);
    if (!token.scopes.has(scope)) {
      const detail = `Esta credencial não possui o escopo ${scope} habilitado.`;
      return this.problem({ status: desk.profile.lackingScope, type: 'AcessoNegado', detail });
    }
    const { body, violations } = document.read({ ...request, path, query: this.withoutCredentials(query) });
    if (violations.length > 0) {
      const type = invalidTypes[operation] ?? 'RequisicaoInvalida';
      return this.problem({ status: 400, type, detail: 'A requisição não respeita o schema.', violations });
    }
    const strikes = (kind: TroubleKind) => troubles.strikes(kind, { merchant: merchant.clientId, operation });
    const call: Call = { merchant, operation, params, query, headers: request.headers, body, strikes };
    return handlers[operation](desk, call);
  }

  private demandCredentials(merchant: Merchant, { headers }: WireRequest, query: URLSearchParams): void {
    for (const { in: place, name, value } of this.parts.desk.profile.credentials) {
      const wanted = value === 'clientId' ? merchant.clientId : merchant.extras[name];
      const shown = place === 'query' ? query.get(name) : headers[name];
      if (shown === wanted) continue;
      throw new PspRefusal({ status: 403, type: 'AcessoNegado', detail: `${name} ausente ou inválido.` });
    }
  }

  private withoutCredentials(query: URLSearchParams): URLSearchParams {
    const rest = new URLSearchParams(query);
    for (const { in: place, name } of this.parts.desk.profile.credentials) if (place === 'query') rest.delete(name);
    return rest;
  }

  /** Does the work, unless a trouble is in its way, and sends the answer, unless a trouble takes it. */
  private async troubled(struck: Struck, merchant: Merchant, work: () => Promise<Answer>): Promise<Outcome> {
    this.parts.merchants.count(struck);
    const strikes = (kind: TroubleKind) => this.parts.troubles.strikes(kind, struck);
    if (strikes('request_lost')) return { wire: 'destroy', answer: NO_CONTENT };
    if (struck.operation !== 'token' && strikes('token_ends')) this.parts.tokens.revoke(merchant);
    for (const kind of ['unavailable', 'html_fault', 'too_many'] as const) {
      const trouble = strikes(kind);
      if (trouble === null) continue;
      if (trouble.worked === true) await work();
      return this.send(this.fault(kind));
    }
    await this.pause(strikes('stalled'));
    const answer = await work();
    await this.pause(strikes('slow'));
    if (strikes('answer_lost')) return { wire: 'destroy', answer };
    if (strikes('hanging')) return { wire: 'hang', answer };
    if (strikes('empty')) return this.send(NO_CONTENT);
    if (strikes('nonsense')) return this.send({ ...answer, body: null });
    if (strikes('cut_off')) return { wire: 'cut-off', answer };
    return { wire: strikes('truncated') ? 'truncate' : 'send', answer };
  }

  private async pause(trouble: Trouble | null): Promise<void> {
    if (trouble !== null) await sleep(trouble.milliseconds ?? SLOW_MS, undefined, { ref: false });
  }

  private fault(kind: 'unavailable' | 'html_fault' | 'too_many'): Answer {
    if (kind === 'html_fault') return { status: 500, body: HTML_FAULT, contentType: 'text/html' };
    const status = kind === 'too_many' ? 429 : 503;
    return this.problem({ status, type: 'ServicoIndisponivel', detail: 'Serviço não está disponível no momento.' });
  }

  private problem(problem: Problem): Answer {
    return problemAnswer(this.parts.desk.profile.errors, problem);
  }

  private send(answer: Answer): Outcome {
    return { wire: 'send', answer };
  }
}
