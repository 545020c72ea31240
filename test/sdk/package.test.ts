import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../sdk/package.json' with { type: 'json' };
import { buildPackage } from '../../sdk/scripts/build.ts';
import { lint, pack, rehearsePublication, SIZES_MAX_BYTES, sizes } from '../../sdk/scripts/check.ts';
import { VERSION } from '../../sdk/src/version.ts';
import { problemsOfTypes } from '../support/strict-types.ts';
import { startAgent } from './cli/mcp/agent.ts';
import { newUser } from './cli/run-cli.ts';
import { fakeService } from './fake-service.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SLOW_MS = 60_000;

/** A project of a merchant, outside the repository, with the packed package installed. */
let project: string;
let built: string;
let tarball: string;

beforeAll(async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'fatura-sdk-'));
  built = join(temporary, 'built');
  project = join(temporary, 'project');
  await buildPackage(built);
  tarball = await pack(built);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', tarball], { cwd: project });
  // What the examples use beside it.
  await symlink(join(ROOT, 'node_modules/@opentelemetry'), join(project, 'node_modules/@opentelemetry'));
  return () => rm(temporary, { recursive: true });
}, SLOW_MS);

const inProject = async (file: string, source: string, env: Record<string, string> = {}): Promise<string> => {
  await writeFile(join(project, file), source);
  const { stdout } = await run(process.execPath, [file], { cwd: project, env: { ...process.env, ...env } });
  return stdout.trim();
};

const PROGRAM = `
const secrets = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
async function main() {
  const fatura = new Fatura({ apiKey: 'sk_sandbox_1', baseUrl: process.env.BASE_URL });
  const { id } = await fatura.invoices.retrieve('in_1');
  const failure = await webhooks.unwrap('', {}, { secrets }).catch((error) => error);
  console.log(id, FaturaError.name, failure.code, failure instanceof WebhookVerificationError,
    failure instanceof webhooks.WebhookVerificationError, fatura.webhooks.sign === webhooks.sign);
}
main();`;

describe('the package as published', () => {
  test.each([
    ['import', 'app.mjs', (name: string, from: string) => `import ${name} from '${from}';`],
    ['require', 'app.cjs', (name: string, from: string) => `const ${name.replace('* as ', '')} = require('${from}');`],
  ])('works by %s, and both entries share one error class', async (_, file, load) => {
    const service = await fakeService({ body: { id: 'in_1' } });
    const output = await inProject(
      file,
      [
        load('{ Fatura, FaturaError, WebhookVerificationError }', '@fatura/sdk'),
        load('* as webhooks', '@fatura/sdk/webhooks'),
        PROGRAM,
      ].join('\n'),
      { BASE_URL: service.url },
    );
    expect(output).toBe('in_1 FaturaError HEADER_MISSING true true true');
  });

  test.each([
    ['import', 'inbox.mjs', `import { EventInbox, MemoryInboxStore } from '@fatura/sdk/inbox';`],
    ['require', 'inbox.cjs', `const { EventInbox, MemoryInboxStore } = require('@fatura/sdk/inbox');`],
  ])('has an inbox by %s', async (_, file, load) => {
    const use = `const event = { id: 'evt_1', created: 1, live_mode: false, data: { object: null } };
      const inbox = new EventInbox({ store: new MemoryInboxStore(), onEvent: ({ id }) => console.log(id) });
      inbox.receive(event).then(() => inbox.receive(event));`;
    expect(await inProject(file, `${load}\n${use}`)).toBe('evt_1');
  });

  test('tells its errors from others, whichever of its copies in a process made them', async () => {
    const use = `import { createRequire } from 'node:module';
      import { FaturaError, isFaturaError } from '@fatura/sdk';
      const other = createRequire(import.meta.url)('@fatura/sdk');
      const thrown = new other.FaturaError({ message: 'no', code: 'ABORTED', type: 'client_error' });
      console.log(thrown instanceof FaturaError, isFaturaError(thrown, 'ABORTED'), isFaturaError(thrown, 'TIMEOUT'));`;
    expect(await inProject('copies.mjs', use)).toBe('false true false');
  });

  test('brings the program, which runs by its name and uses the client beside it', async () => {
    const service = await fakeService({ body: { data: [], has_more: false } });
    const program = join(project, 'node_modules/.bin/fatura');
    expect((await run(program, ['--version'])).stdout).toBe(`${VERSION}\n`);
    const env = { ...process.env, FATURA_API_KEY: 'sk_sandbox_1', FATURA_BASE_URL: service.url };
    await run(program, ['events', 'list'], { env });
    expect(service.requests.map(({ path, headers }) => [path, headers['user-agent']])).toEqual([
      ['/api/v1/events', `fatura-sdk/${VERSION}`],
    ]);
    const code = await readFile(join(built, 'cli.js'), 'utf8');
    expect(code).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(code).toMatch(/from "\.\/index\.js"/);
  });

  test('serves the protocol of agents from a chunk that no other command loads, with the licences of what is in it', async () => {
    const mcp = await readFile(join(built, 'mcp.js'), 'utf8');
    const cli = await readFile(join(built, 'cli.js'), 'utf8');
    expect(cli.includes('await import("./mcp.js")')).toBe(true);
    expect([cli.includes('tools/call'), mcp.includes('tools/call')]).toEqual([false, true]);
    expect([ROOT, tmpdir()].filter((path) => mcp.includes(path))).toEqual([]);
    expect(Buffer.byteLength(cli)).toBeLessThan(64 * 1024);
    expect(Buffer.byteLength(mcp)).toBeLessThan(640 * 1024);
    const licences = await readFile(join(built, 'mcp.LICENSES.txt'), 'utf8');
    const named = [...licences.matchAll(/^(\S+) \S+ \((?:MIT|ISC|BSD-3-Clause)\)$/gm)].map(([, name]) => name);
    expect(named).toEqual([
      '@modelcontextprotocol/sdk',
      'ajv',
      'ajv-formats',
      'fast-deep-equal',
      'fast-uri',
      'json-schema-traverse',
      'zod',
      'zod-to-json-schema',
    ]);
    expect(await run('tar', ['-tzf', tarball]).then(({ stdout }) => stdout)).toMatch(/^package\/mcp\.LICENSES\.txt$/m);
  });

  test('serves an agent as installed', async () => {
    const service = await fakeService({ body: { id: 'acct_1', object: 'account', name: 'Loja' } });
    const user = await newUser({ FATURA_API_KEY: 'sk_sandbox_1', FATURA_BASE_URL: service.url });
    const program = join(project, 'node_modules/@fatura/sdk/cli.js');
    const agent = await startAgent(user, { program });
    expect((await agent.call('account_retrieve')).json).toMatchObject({ name: 'Loja' });
    expect(service.requests.map(({ headers }) => headers['user-agent'])).toEqual([`fatura-sdk/${VERSION}`]);
  });

  test('lets nobody import its inner files', async () => {
    const reached = inProject('inner.mjs', `import '@fatura/sdk/transport.js';`);
    await expect(reached).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('is found sound by publint and attw', () => lint(tarball), SLOW_MS);

  test('would be published as it is, with a statement of what it was built from', async () => {
    expect(await rehearsePublication(built)).toBe(`@fatura/sdk@${VERSION}`);
    const { publishConfig } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'));
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
  });

  test('regression-91-an uncaught error shows a line of readable code, and the maps lead to sources in the package', async () => {
    const source = `import { Fatura } from '@fatura/sdk';
      await new Fatura({ apiKey: 'sk', baseUrl: 'http://127.0.0.1:1', retries: 0 }).invoices.retrieve('in_1');`;
    await writeFile(join(project, 'uncaught.mjs'), source);
    const dies = (...options: string[]): Promise<string> =>
      run(process.execPath, [...options, 'uncaught.mjs'], { cwd: project }).then(
        () => 'lived',
        ({ stderr }: { stderr: string }) => stderr,
      );
    const printed = await dies();
    expect(printed.length).toBeLessThan(4_000);
    expect(printed).toContain('return new FaturaError({ message');
    expect(await dies('--enable-source-maps')).toMatch(/node_modules\/@fatura\/sdk\/src\/transport\.ts:\d+/);
    const installed = join(project, 'node_modules/@fatura/sdk');
    const maps = ['index', 'webhooks', 'inbox', 'card'].flatMap((entry) => [`${entry}.js.map`, `${entry}.cjs.map`]);
    for (const file of [...maps, 'cli.js.map']) {
      const { sources }: { sources: string[] } = JSON.parse(await readFile(join(installed, file), 'utf8'));
      for (const name of sources) expect(await readFile(join(installed, name), 'utf8'), name).not.toBe('');
    }
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('Apache License');
  });

  test('weighs at most 10 KB gzipped, its webhooks alone 3.5 KB, its inbox and its card entry 1.5 KB each', async () => {
    const { index, webhooks, inbox, card } = await sizes(built);
    expect(SIZES_MAX_BYTES).toEqual({ index: 10_240, webhooks: 3_584, inbox: 1_536, card: 1_536 });
    expect(index).toBeLessThanOrEqual(SIZES_MAX_BYTES.index);
    expect(webhooks).toBeLessThanOrEqual(SIZES_MAX_BYTES.webhooks);
    expect(inbox).toBeLessThanOrEqual(SIZES_MAX_BYTES.inbox);
    expect(card).toBeLessThanOrEqual(SIZES_MAX_BYTES.card);
  });

  test('tells its version, depends on nothing and has no way to run code when installed', async () => {
    const published = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'));
    expect(VERSION).toBe(manifest.version);
    expect(published).toMatchObject({ name: '@fatura/sdk', version: VERSION, sideEffects: false, dependencies: {} });
    expect(published).not.toHaveProperty('scripts');
    expect(published).not.toHaveProperty('private');
  });

  test('needs nothing of Node: its code runs where there are only web APIs', async () => {
    for (const file of ['index.js', 'webhooks.js', 'inbox.js', 'card.js']) {
      const code = await readFile(join(built, file), 'utf8');
      expect(code).not.toMatch(/\b(process|Buffer|require|__dirname|globalThis\.process)\b|node:/);
    }
  });
});

test(
  'regression-92-a build says what it built, and its words install it in a fresh folder',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fatura-sdk-'));
    try {
      const outDir = join(folder, 'built');
      const { stdout } = await run(process.execPath, [join(ROOT, 'sdk/scripts/build.ts'), outDir]);
      expect(stdout).toContain(`Built @fatura/sdk ${VERSION} in ${outDir}.`);
      await writeFile(join(folder, 'package.json'), '{ "private": true }');
      const env = { ...process.env, npm_config_offline: 'true' };
      for (const [command] of stdout.matchAll(/npm .+/g)) await run(command, { cwd: folder, env, shell: true });
      const load = ['--print', `require('@fatura/sdk').Fatura.name`];
      expect((await run(process.execPath, load, { cwd: folder })).stdout.trim()).toBe('Fatura');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  SLOW_MS,
);

describe('its types', () => {
  const check = async (files: Record<string, string>): Promise<string> => {
    for (const [name, source] of Object.entries(files)) await writeFile(join(project, name), source);
    return (await problemsOfTypes(project, Object.keys(files))) || 'sound';
  };

  test('hold in a strict project of either module system, without the DOM library, checked themselves', async () => {
    const use = (load: string) => `${load}
      const fatura = new Fatura({ apiKey: 'sk', fetch, logger: console });
      export const total: Promise<number> = fatura.invoices.retrieve('in_1').then((invoice) => invoice.total);`;
    const load = `import { Fatura } from '@fatura/sdk';`;
    expect(await check({ 'a.mts': use(load), 'a.cts': use(load) })).toBe('sound');
  });

  test('regression-98-fit every example of the READMEs and the docs', async () => {
    const blocks: [file: string, code: string][] = [];
    // The blocks of a guide are one program, which test/guides compiles and runs.
    const pages = glob('{README.md,sdk/README.md,docs/**/*.md}', { cwd: ROOT, exclude: ['docs/guides/**'] });
    for await (const page of pages) {
      const text = await readFile(join(ROOT, page), 'utf8');
      for (const [, code = ''] of text.matchAll(/```(?:ts|typescript)\n([\s\S]*?)```/g)) {
        blocks.push([`${page.replaceAll(/\W/g, '-')}-${blocks.length}.mts`, code]);
      }
    }
    expect(blocks.length).toBeGreaterThanOrEqual(12);
    expect(await check(Object.fromEntries(blocks))).toBe('sound');
  });

  test('regression-93-events, checkouts and bodies are told apart by what names their form', async () => {
    const load = `import { type Event, Fatura } from '@fatura/sdk';
      const fatura = new Fatura({ apiKey: 'sk' });\n`;
    const sound = `
      export const told = async (): Promise<string[]> => {
        const tell = (event: Event): string => event.type === 'invoice.paid' ? event.data.object.customer_name : '';
        const listed = await fatura.events.list({ type: ['invoice.paid'] }).all({ max: 10 });
        return [await fatura.events.retrieve('evt_1'), ...listed].map(tell);
      };
      export const shown = async (): Promise<string[]> => {
        const { payment_intent, payment_method } = await fatura.invoices.checkout('in_1', { payment_method_type: 'pix' });
        const subscription = await fatura.subscriptions.checkout('sub_1', { payment_method_type: 'pix' });
        return [payment_intent, payment_method.pix.pix_copy_paste, subscription.payment_method.pix.qr_code];
      };`;
    expect(await check({ 'forms.mts': load + sound })).toBe('sound');
    const faults = [
      `fatura.prices.create({ product_id: 'prod_1', unit_amount: 1, type: 'recurring' });`,
      `fatura.prices.create({ product_id: 'prod_1', unit_amount: 1, type: 'one_time', recurring: { interval: 'month' } });`,
      `fatura.invoices.create({ line_items: [{ price_id: 'price_1', quantity: 1 }] });`,
      `fatura.invoices.checkout('in_1', { payment_method_type: 'pix', card: {} });`,
      `fatura.subscriptions.checkout('sub_1', { payment_method_type: 'card' });`,
    ];
    const complaints = await check({ 'faults.mts': load + faults.join('\n') });
    expect(complaints.match(/^faults\.mts\(\d+/gm)).toEqual(faults.map((_, i) => `faults.mts(${i + 3}`));
  });

  test('refuse a field that the API does not take', async () => {
    const source = `import { Fatura } from '@fatura/sdk';
      new Fatura({ apiKey: 'sk' }).products.create({ name: 'Plano Ouro', price: 9990 });`;
    expect(await check({ 'b.mts': source })).toContain("'price' does not exist in type 'ProductCreate'");
  });
});
