import express, { type Express, type Request } from 'express';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { setRoute } from '../http/request.ts';
import { assetsAt, type BuiltPages } from './built.ts';
import { sendLetter } from './page.ts';
import type { PageAdmission } from './page-admission.ts';
import { sendMessage, tellFaultsByPage } from './page-answers.ts';
import { idOfLink, tries } from './page-requests.ts';

interface LetterRow {
  readonly accountId: string;
  readonly liveMode: boolean;
  /** Null once it was erased. */
  readonly html: string | null;
}

const readLetter = acrossAccounts<LetterRow>(
  'read_letter',
  `SELECT m.account_id AS "accountId", m.live_mode AS "liveMode", m.body_html AS html FROM mail m
   WHERE m.id = :id AND m.customer_id IS NOT NULL`,
);

const BASE = '/mail';
const PATH = '/:mail/:signature';
type Link = { mail: string; signature: string };

const MISSING = { status: 404, message: 'not_found' } as const;
const ERASED = { status: 410, message: 'gone' } as const;

/** Mounts the letters to buyers as a browser shows them, for as long as they are kept (docs/product/mail.md#how-long-letters-are-kept). */
export function mountLetters(
  app: Express,
  deps: Deps,
  { built, pageAdmission }: { readonly built: BuiltPages; readonly pageAdmission: PageAdmission },
): void {
  const context = { deps, built, assets: assetsAt('../', built) };
  const router = express.Router({ strict: true, caseSensitive: true });
  router.get(PATH, (request: Request<Link>, response) => {
    setRoute(request, { path: BASE + PATH, scope: 'read' });
    const { mail, signature } = request.params;
    const id = idOfLink(deps, 'mail', { id: mail, signature });
    if (id === null) return sendMessage(context, response, MISSING);
    const find = async (): Promise<LetterRow | null> => {
      const [row = null] = await run(deps.pool, readLetter, { id });
      if (row !== null) pageAdmission.learn(request, id, row);
      return row;
    };
    const show = (row: LetterRow | null) => {
      if (row === null) return sendMessage(context, response, MISSING);
      return row.html === null ? sendMessage(context, response, ERASED) : sendLetter(response, row.html);
    };
    const view = { id, limit: tries.letter, find, whose: (row: LetterRow | null) => row, show };
    return pageAdmission.follow(request, id, async () => {
      await pageAdmission.show(request, response, view);
    });
  });
  app.use(BASE, router, tellFaultsByPage(context));
}
