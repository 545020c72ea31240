import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildOpenApi } from '../../contract/openapi.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { goTool, needsLanguage, npmTools, pythonTools, runTool } from '../support/toolbox.ts';

const HERE = import.meta.dirname;
const OUT = resolve('.fatura/generators');
/** A first run fetches and builds the generators. */
const TEST_MS = 600_000;
const STEP_MS = 240_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** A new folder with the programs of a language and the document. */
function workplace(language: string): string {
  const folder = join(OUT, language);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(HERE, language), folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(buildOpenApi(api.baseUrl)));
  return folder;
}

/** The last line of a program that sold by PIX, held to what the service itself tells of the sale. */
async function expectSale(sell: (merchant: readonly [baseUrl: string, key: string]) => Promise<string>): Promise<void> {
  const merchant = await api.newMerchant();
  const said = await sell([api.baseUrl, merchant.sandboxKey]);
  const sale = JSON.parse(said.trim().split('\n').at(-1) ?? '');
  const { data: invoices } = await merchant.fatura.invoices.list().page();
  expect(invoices).toMatchObject([{ id: sale.invoice, status: 'paid', amount_paid: 9990 }]);
  expect(sale).toEqual({
    invoice: expect.any(String),
    status: 'paid',
    copy_paste: expect.stringMatching(/^000201.*6304[0-9A-F]{4}$/),
    paid_again: 'INVOICE_NOT_OPEN',
  });
}

/** Generators number a name that came twice: of these enumerations and resources there is one each. */
function expectOneOfEach(names: readonly string[]): void {
  const enumerations = ['ErrorCode', 'InvoiceStatus', 'PriceType', 'EventType', 'Invoice', 'Customer'];
  expect(names).toEqual(expect.arrayContaining(enumerations));
  expect(names.filter((name) => /^[A-Z][A-Za-z]*\d+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
}

const declared = (source: string, form: RegExp): string[] => [...source.matchAll(form)].map(([, name = '']) => name);

test('openapi-python-client makes a client that sells', { timeout: TEST_MS }, async (context) => {
  await needsLanguage(context, 'python');
  const bin = await pythonTools('openapi-python-client', join(HERE, 'python/requirements.txt'));
  const folder = workplace('python');
  const tool = (name: string, ...args: string[]) =>
    // The generator formats what it wrote with a tool of its own environment.
    runTool(join(bin, name), {
      args,
      cwd: folder,
      env: { PATH: `${bin}:${process.env.PATH}` },
      timeoutMs: STEP_MS,
    });
  const said = await tool(
    'openapi-python-client',
    ...['generate', '--path', 'openapi.json', '--meta', 'none', '--fail-on-warning'],
    ...['--config', 'openapi-python-client.yaml', '--output-path', 'fatura_client'],
  );
  expect(said).not.toMatch(/warning|error/i);
  const models = readFileSync(join(folder, 'fatura_client/models/__init__.py'), 'utf8');
  expectOneOfEach(declared(models, /^ {4}"(\w+)",$/gm));
  await tool('mypy', 'sale.py');
  await expectSale(([baseUrl, key]) => tool('python', 'sale.py', baseUrl, key));
});

test('oapi-codegen makes a client that sells', { timeout: TEST_MS }, async (context) => {
  await needsLanguage(context, 'go');
  const folder = workplace('go');
  const generator = await goTool('oapi-codegen', {
    module: join(HERE, 'go'),
    path: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
  });
  const file = join(folder, 'fatura/fatura.go');
  mkdirSync(join(folder, 'fatura'));
  const args = ['-config', 'oapi-codegen.yaml', '-o', file, 'openapi.json'];
  expect(await runTool(generator, { args, cwd: folder, timeoutMs: STEP_MS })).toBe('');
  expectOneOfEach(declared(readFileSync(file, 'utf8'), /^type (\w+) /gm));
  const go = (...more: string[]) =>
    runTool('go', { args: more, cwd: folder, env: { GOFLAGS: '-mod=readonly', GOWORK: 'off' }, timeoutMs: STEP_MS });
  // What is downloaded for the first time is told on the way.
  await go('mod', 'download');
  expect(await go('vet', './...')).toBe('');
  await go('build', '-o', 'sale', '.');
  await expectSale((args) => runTool(join(folder, 'sale'), { args, timeoutMs: STEP_MS }));
});

test('@hey-api/openapi-ts and openapi-typescript make clients that sell', { timeout: TEST_MS }, async () => {
  const modules = await npmTools('typescript-clients', join(HERE, 'typescript'));
  const folder = workplace('typescript');
  cpSync(modules, join(folder, 'node_modules'), { recursive: true });
  const node = (script: string, ...args: string[]) =>
    runTool(process.execPath, { args: [script, ...args], cwd: folder, timeoutMs: STEP_MS });
  const program = (name: string, ...args: string[]) => node(`node_modules/${name}`, ...args);
  const said = await program('@hey-api/openapi-ts/bin/run.js');
  expect(said).not.toMatch(/warn|error/i);
  expectOneOfEach(declared(readFileSync(join(folder, 'client/types.gen.ts'), 'utf8'), /^export type (\w+) =/gm));
  const types = await program('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.d.ts');
  expect(types).not.toMatch(/warn|error/i);
  await program('typescript/bin/tsc', '-p', '.');
  for (const sale of ['sale.ts', 'sale-by-fetch.ts']) await expectSale((merchant) => node(sale, ...merchant));
});
