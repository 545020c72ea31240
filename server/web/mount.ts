import type { Express } from 'express';
import type { Deps } from '../deps.ts';
import type { Admission } from '../http/admit.ts';
import { confirmation } from './confirmation.ts';
import { mountExportFiles } from './export-file.ts';
import { mountLetters } from './letter.ts';
import { createPageAdmission } from './page-admission.ts';
import type { PageParts } from './page-answers.ts';
import { mountPaymentPage } from './payment-page.ts';
import { mountPortal } from './portal/routes.ts';
import { mountQuestion } from './question.ts';
import { mountReceipts } from './receipt/routes.ts';
import { mountSalePages } from './sale-page.ts';
import { unsubscription } from './unsubscription.ts';

type Parts = Omit<PageParts, 'pageAdmission'> & { readonly admission: Admission };

/** Mounts all that is shown at links; `runner` does what buyers ask for there. */
export function mountPages(app: Express, deps: Deps, { admission, ...parts }: Parts): void {
  const { built, rateLimiter, runner } = parts;
  const pageAdmission = createPageAdmission({ admission, rateLimiter });
  mountPaymentPage(app, deps, { ...parts, pageAdmission, runner: admission.runnerFor(runner, 'buyer') });
  mountReceipts(app, deps, { built, pageAdmission });
  mountSalePages(app, deps, { built, pageAdmission, rateLimiter });
  mountQuestion(app, deps, { built, pageAdmission, question: confirmation(deps) });
  mountQuestion(app, deps, { built, pageAdmission, question: unsubscription(deps) });
  mountLetters(app, deps, { built, pageAdmission });
  mountExportFiles(app, deps, { built, pageAdmission });
  mountPortal(app, deps, { built, pageAdmission, rateLimiter, runner: admission.runnerFor(runner, 'buyer') });
}
