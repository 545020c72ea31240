import express, { type Express, type Request, type Response } from 'express';
import type { Assets, QuestionView } from '../../web/page/page-data.ts';
import type { ScopeRow } from '../accounts/scope.ts';
import type { RateLimit } from '../admission/rate-limit.ts';
import type { Deps } from '../deps.ts';
import { setRoute } from '../http/request.ts';
import type { PageLook } from '../kernel/account.ts';
import type { LinkedPage } from '../kernel/links.ts';
import { ASSETS, assetRouter, assetsAt, type BuiltPages } from './built.ts';
import { pageStyle } from './look.ts';
import { SECRECY, sendPage } from './page.ts';
import type { PageAdmission } from './page-admission.ts';
import { sendMessage, tellFaultsByPage } from './page-answers.ts';
import { languageOf, localeQuery } from './page-language.ts';
import { idOfLink } from './page-requests.ts';

interface Parts {
  readonly built: BuiltPages;
  readonly pageAdmission: PageAdmission;
}

/** Whose the customer of a link is, and how that account looks. */
export interface AskedRow extends ScopeRow {
  readonly id: string;
  readonly look: PageLook;
}

/** A page that asks whoever has its link one thing, by a button: looking at it, as programs do that preview links, does nothing. */
export interface Question<Row extends AskedRow> {
  readonly base: string;
  readonly page: LinkedPage;
  readonly limit: RateLimit;
  /** Null: the link leads to nothing any more. */
  readonly find: (id: string) => Promise<Row | null>;
  readonly isOver: (row: Row) => boolean;
  /** Its form is sent to the path `below` the link's; null: it has none. */
  readonly show: (row: Row) => Omit<QuestionView, 'merchant' | 'action'> & { readonly below: string | null };
  /** What its forms do, by the path below the link's that they are sent to. */
  readonly acts: Readonly<Record<string, (row: Row, request: Request) => Promise<void>>>;
}

type Link = { customer: string; signature: string };
type LinkRequest = Request<Link>;
type Act<Row> = (response: Response, row: Row) => Promise<void> | void;

interface Context<Row extends AskedRow> extends Parts {
  readonly deps: Deps;
  readonly assets: Assets;
  readonly question: Question<Row>;
}

const PATH = '/:customer/:signature';

const idOf = <Row extends AskedRow>(
  { deps, question }: Context<Row>,
  { customer: id, signature }: Link,
): string | null => idOfLink(deps, question.page, { id, signature });

const MISSING = { status: 404, message: 'not_found' } as const;
const OVER = { status: 410, message: 'gone' } as const;

function showPage<Row extends AskedRow>(
  { built, assets, question }: Context<Row>,
  { request, response, row }: { request: LinkRequest; response: Response; row: Row },
): void {
  const style = pageStyle(row.look);
  const { below, link, asking } = question.show(row);
  const locale = localeQuery(request);
  // Relative to the page, whose last part is the signature.
  const action = below === null ? null : `./${request.params.signature}${below}${locale}`;
  const view = { merchant: row.look.name, asking, action, link: link === null ? null : link + locale };
  const page = built.renderer.renderQuestion(view, { language: languageOf(request), assets, accent: style });
  sendPage(response, { status: 200, page, style });
}

/** Within the limit of the account whose customer the link names, and as long as the link is good. */
async function handle<Row extends AskedRow>(
  context: Context<Row>,
  { request, response, act }: { request: LinkRequest; response: Response; act: Act<Row> },
): Promise<void> {
  const { pageAdmission, question } = context;
  const id = idOf(context, request.params);
  if (id === null) return sendMessage(context, response, MISSING);
  await pageAdmission.show(request, response, {
    id,
    limit: question.limit,
    find: async () => {
      const row = await question.find(id);
      if (row !== null) pageAdmission.learn(request, id, row);
      return row;
    },
    whose: (row) => row,
    show: (row) => {
      if (row === null) return sendMessage(context, response, MISSING);
      return question.isOver(row) ? sendMessage(context, response, OVER) : act(response, row);
    },
  });
}

/** Mounts a page that asks one thing. */
export function mountQuestion<Row extends AskedRow>(
  app: Express,
  deps: Deps,
  { question, ...parts }: Parts & { readonly question: Question<Row> },
): void {
  const { base } = question;
  const context = { ...parts, deps, question, assets: assetsAt('../', parts.built) };
  const router = express.Router({ strict: true, caseSensitive: true });
  const on = (method: 'get' | 'post', path: string, actOf: (request: LinkRequest) => Act<Row>) =>
    router[method](path, (request: LinkRequest, response: Response) => {
      setRoute(request, { path: base + path, scope: method === 'get' ? 'read' : 'write' });
      const work = () => handle(context, { request, response, act: actOf(request) });
      return context.pageAdmission.follow(request, idOf(context, request.params), work);
    });
  on('get', PATH, (request) => (response, row) => showPage(context, { request, response, row }));
  for (const [below, act] of Object.entries(question.acts))
    on('post', PATH + below, (request) => async (response, row) => {
      await act(row, request);
      // Relative, so that it holds behind a proxy that serves us under a path of its own.
      const back = below === '' ? './' : '../';
      response.set(SECRECY).redirect(303, `${back}${request.params.signature}${localeQuery(request)}`);
    });
  app.use(`${base}/${ASSETS}`, assetRouter(parts.built));
  app.use(base, router, tellFaultsByPage(context));
}
