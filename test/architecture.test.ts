import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FUNCTION_LINES_MAX, LINES_MAX, violations } from './support/architecture.ts';
import { exceptions } from './support/architecture-table.ts';
import { parse } from './support/source-file.ts';

const sources = globSync([
  'contract/**/*.ts',
  'server/**/*.ts',
  '{workflows,ops,dev/embedded,sdk/src}/**/*.ts',
  '{web/page,site,dashboard}/**/*.{ts,tsx}',
  'dev/*.ts',
])
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.d.ts'))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

test('the code keeps to the design', () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(violations(sources)).toEqual([]);
});

test('each exception is still needed', () => {
  const imports = sources.map(parse).flatMap((file) => file.imports.map(({ to }) => ({ from: file.path, to })));
  const idle = exceptions.filter((one) => !imports.some(({ from, to }) => one.from.test(from) && one.to.test(to)));
  expect(idle.map(({ why }) => why)).toEqual([]);
});

/** What a made-up file at `path` is accused of. */
const accused = (path: string, text: string): string[] => violations([{ path, text }]);

describe('an import that the table does not list is refused', () => {
  const refused: [path: string, text: string][] = [
    ['contract/x.ts', `import { newId } from '../server/kernel/ids.ts';`],
    ['contract/x.ts', `import express from 'express';`],
    ['server/kernel/x.ts', `import type { Scope } from '../unit-of-work/tx.ts';`],
    ['server/kernel/x.ts', `import { Invoice } from '../../contract/invoices.ts';`],
    ['server/kernel/x.ts', `import pg from 'pg';`],
    ['server/invoices/rules.ts', `import { InvoiceSchema } from './entity.ts';`],
    ['server/invoices/rules.ts', `import { LockMode } from '@mikro-orm/core';`],
    ['server/catalog/rules.ts', `import { totalOf } from '../invoices/rules.ts';`],
    ['server/invoices/entity.ts', `import { PaymentIntentSchema } from '../payments/entity.ts';`],
    ['server/invoices/view.ts', `import { InvoiceSchema } from './entity.ts';`],
    ['server/invoices/view.ts', `import type { Deps } from '../deps.ts';`],
    ['server/invoices/x.ts', `import { closeInvoice } from '../payments/close-invoice.ts';`],
    ['server/invoices/x.ts', `import type { Book } from '../payments/intents/book.ts';`],
    ['server/catalog/x.ts', `import { createCustomer } from '../customers/create.ts';`],
    ['server/invoices/x.ts', `import { CustomerSchema } from '../customers/entity.ts';`],
    ['server/invoices/x.ts', `import { invoiceRoutes } from '../routes/invoices.ts';`],
    ['server/invoices/x.ts', `import { routeOf } from '../http/request.ts';`],
    ['server/invoices/x.ts', `import { reactions } from '../reactions.ts';`],
    ['server/invoices/x.ts', `import { compose } from '../compose.ts';`],
    ['server/invoices/x.ts', `import { Deps } from '../deps.ts';`],
    ['server/invoices/x.ts', `import type { Request } from 'express';`.replace('type ', '')],
    ['server/payments/x.ts', `import { createSandboxAcquirer } from './acquirer/sandbox/adapter.ts';`],
    ['server/payments/x.ts', `import { sleep } from '@temporalio/workflow';`],
    ['server/payments/x.ts', `import type { Client } from '@temporalio/client';`],
    ['server/payments/x.ts', `import { collection } from '../../workflows/cases/collection.ts';`],
    ['server/routes/invoices.ts', `import { InvoiceSchema } from '../invoices/entity.ts';`],
    ['server/routes/invoices.ts', `import { viewInvoice } from '../invoices/view.ts';`],
    ['server/routes/invoices.ts', `import { run } from '../db/statement.ts';`],
    ['server/invoices/x.ts', `import { initServer } from '@ts-rest/express';`],
    ['server/accounts/x.ts', `import { viewInvoice } from '../invoices/view.ts';`],
    ['server/db/x.ts', `import { InvoiceSchema } from '../invoices/entity.ts';`],
    ['server/http/x.ts', `import { createInvoice } from '../invoices/create.ts';`],
    ['server/payments/acquirer/port.ts', `import type { PixCharge } from '../entity.ts';`],
    ['server/payments/acquirer/itau.ts', `import { closeInvoice } from '../close-invoice.ts';`],
    ['server/app.ts', `import { Worker } from '@temporalio/worker';`],
    ['server/main.ts', `import { startRelay } from '../workflows/relay.ts';`],
    ['server/main.ts', `import { audit } from '../ops/audit/audit.ts';`],
    ['server/main.ts', `import { adminProgram } from '../ops/admin/program.ts';`],
    ['ops/admin/x.ts', `import { startRelay } from '../../workflows/relay.ts';`],
    ['server/main.ts', `import { waitFor } from '../dev/embedded/wait.ts';`],
    ['ops/audit/x.ts', `import { waitFor } from '../../dev/embedded/wait.ts';`],
    ['workflows/main.ts', `import { waitFor } from '../dev/embedded/wait.ts';`],
    ['ops/audit/x.ts', `import type { Client } from '@temporalio/client';`],
    ['dev/embedded/x.ts', `import { createAccount } from '../../server/accounts/service.ts';`],
    ['workflows/cases/x.ts', `import { createActivities } from '../activities.ts';`],
    ['workflows/cases/x.ts', `import { closeInvoice } from '../../server/payments/close-invoice.ts';`],
    ['workflows/cases/x.ts', `import { readFileSync } from 'node:fs';`],
    ['server/events/deliveries/http/x.ts', `import { FirstDeliveries } from '../first.ts';`],
    ['server/events/deliveries/http/x.ts', `import type { Ladder } from '../rules.ts';`],
    ['server/events/deliveries/http/x.ts', `import { listEvents } from '../../list.ts';`],
    ['server/events/deliveries/x.ts', `import { listEvents } from '../list.ts';`],
    ['server/events/deliveries/x.ts', `import type { WebhookEndpoint } from '../entity.ts';`],
    ['server/events/deliveries/other/x.ts', `import { EVENT_RETENTION } from '../../rules.ts';`],
    ['server/payments/acquirer/ask.ts', `import { lockBook } from '../intents/book.ts';`],
    ['server/payments/intents/x.ts', `import type { Refund } from '../refunds/parts.ts';`],
    ['server/payments/refunds/x.ts', `import { handleNotice } from '../pix/settlement.ts';`],
    ['server/payments/pix/x.ts', `import { applyOutcome } from '../card/attempts.ts';`],
    ['server/payments/card/x.ts', `import { checkoutAs } from '../checkout.ts';`],
    ['server/payments/live/x.ts', `import { showSettings } from '../acquirer/api-pix/settings.ts';`],
    ['server/payments/view.ts', `import type { Book } from './intents/book.ts';`],
    ['dashboard/x.tsx', `import { z } from 'zod';`],
    ['dashboard/x.tsx', `import { invoiceStatuses } from '../contract/invoices.ts';`],
    ['dashboard/x.tsx', `import { money } from '../web/page/format.ts';`],
    ['server/dashboard/x.ts', `import { router } from '../../dashboard/router.tsx';`],
    ['web/page/x.tsx', `import { checkoutInvoice } from '../../server/payments/checkout.ts';`],
    ['web/page/x.tsx', `import { CardInput } from '../../contract/payment-methods.ts';`],
    ['web/page/x.tsx', `import { readFileSync } from 'node:fs';`],
    ['web/page/x.tsx', `import type { Response } from 'express';`],
    ['web/page/x.tsx', `import { ASSETS } from '../../server/web/built.ts';`],
    ['server/site/x.ts', `import { writeDocs } from '../../site/write.ts';`],
    ['server/app.ts', `import { writeDocs } from '../site/write.ts';`],
    ['site/x.ts', `import { mountDocs } from '../server/site/mount.ts';`],
    ['site/x.ts', `import { createApp } from '../server/app.ts';`],
    ['site/x.ts', `import type { Express } from 'express';`],
    ['server/routes/x.ts', `import { money } from '../../web/page/format.ts';`],
    ['sdk/src/x.ts', `import type { Invoice } from '../../contract/invoices.ts';`],
    ['sdk/src/x.ts', `import { createHmac } from 'node:crypto';`],
    ['sdk/src/x.ts', `import { listen } from './cli/listen.ts';`],
    ['sdk/src/cli/x.ts', `import { Command } from 'commander';`],
    ['server/utils/x.ts', 'export const x = 1;'],
  ];

  const listed: [path: string, text: string][] = [
    ['server/payments/x.ts', `import { listInvoices } from '../invoices/list.ts';`],
    ['server/payments/x.ts', `import type { Invoice } from '../invoices/entity.ts';`],
    ['server/invoices/x.ts', `import type { Deps } from '../deps.ts';`],
    ['server/main.ts', `import { Client } from '@temporalio/client';`],
    [
      'ops/audit/x.ts',
      `import { invoiceChecks } from './invoices.ts'; import { run } from '../../server/db/statement.ts';`,
    ],
    ['server/events/x.ts', `import { createSender } from './deliveries/http/sender.ts';`],
    ['server/events/deliveries/x.ts', `import { createSender } from './http/sender.ts';`],
    ['server/events/deliveries/other/x.ts', `import { FirstDeliveries } from '../first.ts';`],
    ['server/payments/card/x.ts', `import { decideWaiting } from '../pix/settlement.ts';`],
    ['server/payments/pix/x.ts', `import { QrCodeSchema } from '../entity.ts';`],
    ['server/payments/x.ts', `import { applyOutcome } from './card/attempts.ts';`],
    ['server/payments/live/pix/x.ts', `import { showSettings } from '../../acquirer/api-pix/settings.ts';`],
    ['server/catalog/x.ts', `import { FirstDeliveries } from '../events/deliveries/first.ts';`],
    ['server/catalog/x/y.ts', `import { listProducts } from '../products.ts';`],
    ['workflows/cases/x.ts', `import type { Activities } from '../activities.ts';`],
    ['workflows/activities.ts', `import { retrieveIntent } from '../server/payments/intents/list.ts';`],
    ['sdk/src/cli/x.ts', `import { homedir } from 'node:os'; import { Fatura } from '../index.ts';`],
    ['web/page/x.tsx', `import { cardDigits } from '../../server/payments/card/number.ts';`],
    ['web/page/x.tsx', `import { Pix } from './pix.tsx'; export const X = () => <Pix />;`],
    ['server/invoices/x.ts', `// import { closeInvoice } from '../payments/close-invoice.ts';`],
  ];

  test('and the samples name files that exist', () => {
    const imports = [...refused, ...listed].flatMap(([path, text]) => parse({ path, text }).imports);
    const files = imports.filter(({ isPackage }) => !isPackage).map(({ to }) => to);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  test.each(refused)('%s: %s', (path, text) => {
    expect(accused(path, text)).toHaveLength(1);
  });

  test('however it is written', () => {
    const forms = [
      `export { closeInvoice } from '../payments/close-invoice.ts';`,
      `export * from '../payments/close-invoice.ts';`,
      `const late = await import('../payments/close-invoice.ts');`,
      `type Late = import('../payments/intents/book.ts').Book;`,
      `import { type Book } from '../payments/intents/book.ts';`,
    ];
    for (const form of forms) expect(accused('server/invoices/x.ts', form), form).toHaveLength(1);
  });

  test('and one that it lists passes', () => {
    for (const [path, text] of listed) expect(accused(path, text), text).toEqual([]);
  });
});

describe('the other rules', () => {
  const broken: [rule: string, path: string, text: string][] = [
    ['files end', 'server/catalog/x.ts', 'export const x = 1;\n'.repeat(LINES_MAX + 1)],
    ['functions end', 'server/catalog/x.ts', `export function x() {\n${'  x();\n'.repeat(FUNCTION_LINES_MAX)}}\n`],
    ['no default export', 'server/catalog/x.ts', 'export default 1;'],
    ['no default export under another name', 'server/catalog/x.ts', 'const x = 1; export { x as default };'],
    ['one reader of the clock', 'server/catalog/x.ts', 'export const now = Date.now();'],
    ['one reader of the clock, by a new date', 'server/http/x.ts', 'export const now = new Date();'],
    ['one reader of the clock, by its text', 'server/db/x.ts', 'export const now = Date();'],
    ['one reader of the clock, by Temporal', 'workflows/relay.ts', 'export const now = Temporal.Now.instant();'],
    ['rules are given the time', 'server/catalog/rules.ts', `import { realTime } from '../kernel/time.ts';`],
    ['entries read the environment', 'server/compose.ts', 'export const port = process.env.PORT;'],
    ['rules do not wait', 'server/catalog/rules.ts', 'export const x = async () => {};'],
    ['the kernel does not wait', 'server/kernel/x.ts', 'await x();'],
    ['functions are named before they are kept', 'server/http/x.ts', 'export const x = (y) => { y.z = () => y; };'],
    ['nothing is left to do', 'server/catalog/x.ts', `// ${'TO'}${'DO'}: later`],
    ['nothing is left to mend', 'server/catalog/x.ts', `// ${'FIX'}${'ME'}`],
    ['no check is silenced', 'server/catalog/x.ts', `// @ts-${'ignore'}`],
    ['no type is thrown away', 'server/catalog/x.ts', `export const x = y as ${'any'};`],
  ];

  test.each(broken)('%s', (_, path, text) => {
    expect(accused(path, text)).toHaveLength(1);
  });

  test('let pass what only looks like a breach', () => {
    const harmless: [path: string, text: string][] = [
      ['server/db/migrations/x.ts', 'export const x = 1;\n'.repeat(LINES_MAX + 1)],
      ['server/catalog/x.ts', 'export const day = new Date(timeMs); // Date.now()'],
      ['server/kernel/time.ts', 'export const realTimeMs = () => Date.now();'],
      ['workflows/cases/x.ts', 'export const now = Date.now();'],
      ['server/main.ts', 'export const port = process.env.PORT;'],
      ['server/http/x.ts', 'export const x = (y) => { const z = () => y; y.z = z; };'],
      ['server/catalog/x.ts', `export const text = 'pague todo o valor';`],
    ];
    for (const [path, text] of harmless) expect(accused(path, text), text).toEqual([]);
  });
});
