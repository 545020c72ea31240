import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { buildPackage } from '../../sdk/scripts/build.ts';
import { pack } from '../../sdk/scripts/check.ts';

const run = promisify(execFile);

/** What a user's terminal has, where it is set; the last ones say how registries are reached. */
const OF_TERMINAL = ['HOME', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/** The variables of a user's terminal: none of this test's own. */
function terminal(more: Record<string, string>): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const set = OF_TERMINAL.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { PATH: path, ...Object.fromEntries(set), NEXT_TELEMETRY_DISABLED: '1', ...more };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A folder with the packed package, and the program installed from it as a project has it. */
export async function newcomer() {
  const folder = await mkdtemp(join(tmpdir(), 'fatura-starter-'));
  const built = join(folder, 'built');
  await buildPackage(built);
  const tarball = await pack(built);
  const tools = join(folder, 'tools');
  await mkdir(tools);
  await writeFile(join(tools, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', tarball], { cwd: tools });
  return {
    folder,
    tarball,
    program: join(tools, 'node_modules/@fatura/sdk/cli.js'),
    leave: () => rm(folder, { recursive: true, force: true }),
  };
}

export type Newcomer = Awaited<ReturnType<typeof newcomer>>;

/** Where the shop sells, and by which key. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A started program of a shop, and what it printed. */
export interface Started {
  readonly printed: string[];
  until(what: RegExp): Promise<string>;
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

const START_MS = 60_000;

function started(child: ChildProcess): Started {
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => printed.push(line));
  }
  return {
    printed,
    ended: once(child, 'close'),
    async until(what) {
      const found = () => printed.find((line) => what.test(line));
      await expect.poll(found, { timeout: START_MS, interval: 50, message: String(what) }).toBeDefined();
      return found() ?? '';
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** A shop that `fatura init` wrote, with its packages installed, and moved to another port by the one line that says so. */
export async function newShop({ folder, program }: Newcomer, framework: string, { baseUrl, apiKey }: Service) {
  const dir = join(folder, framework);
  const port = await freePort();
  const env = terminal({ XDG_CONFIG_HOME: join(folder, `config-${framework}`) });
  const login = { ...env, FATURA_API_KEY: apiKey, FATURA_BASE_URL: baseUrl };
  const args = ['init', '--framework', framework, '--dir', dir];
  const { stdout } = await run(process.execPath, [program, ...args], { env: login });
  const settings = join(dir, '.env');
  await writeFile(settings, (await readFile(settings, 'utf8')).replace(/^PORT=4242$/m, `PORT=${port}`));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: dir, env });
  const scripts: Record<string, string> = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')).scripts;
  const npm = (...words: string[]) => run('npm', words, { cwd: dir, env });
  /** Without npm and a shell around it, so that it can be ended; of several commands the last. */
  const start = (script: string): Started => {
    const words = (scripts[script] ?? '').split('&&').at(-1)?.trim().split(' ') ?? [];
    const [name = '', ...rest] = words;
    const [file, ...before] =
      name === 'node' ? [process.execPath] : [process.execPath, join(dir, 'node_modules', name, `dist/bin/${name}`)];
    const child = spawn(file ?? '', [...before, ...rest], { cwd: dir, env });
    const running = started(child);
    onTestFinished(running.stop);
    return running;
  };
  return { dir, port, said: stdout, npm, start };
}

export type Shop = Awaited<ReturnType<typeof newShop>>;

const addressOf = ({ port }: Shop, path: string) => new URL(path, `http://localhost:${port}`);

/** Presses a button of the shop; answers where it leads. */
export async function press(shop: Shop, path: string): Promise<string> {
  const answer = await fetch(addressOf(shop, path), { method: 'POST', redirect: 'manual' });
  await answer.text();
  expect(answer.status).toBe(303);
  return answer.headers.get('location') ?? '';
}

/** A purchase that names no order, or none that the home page gave, is refused. */
export async function refusesNameless(shop: Shop): Promise<void> {
  for (const query of ['', '?order=', '?order=undefined', '?order=a&order=b']) {
    const answer = await fetch(addressOf(shop, `/buy${query}`), { method: 'POST', redirect: 'manual' });
    await answer.text();
    expect(answer.status, query).toBe(400);
  }
}

/** The page of a sale on a phone: everything fits, and a button copies the code. */
export async function readsOnAPhone(shop: Shop, browser: Browser, name: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  const widths = () => page.evaluate(() => [window.innerWidth, getComputedStyle(document.body).fontFamily]);
  await page.goto(addressOf(shop, '/').href);
  expect(await widths()).toEqual([360, expect.stringContaining('system-ui')]);
  expect(await fits()).toBe(true);
  await page.getByRole('button', { name: 'Comprar' }).click();
  await page.getByRole('button', { name: 'Copiar código' }).click();
  await page.getByRole('button', { name: 'Copiado' }).waitFor();
  const code = await page.locator('code').textContent();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  expect(await fits()).toBe(true);
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `shop-${name}.png`), fullPage: true });
  await page.getByRole('button', { name: 'Pagar no sandbox' }).click();
  await page.getByText('Pago: o curso é seu!').waitFor();
  await context.close();
}

/** Nobody but this machine can see the shop. */
export async function listensHereAlone({ port }: Shop): Promise<void> {
  const others = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  );
  for (const address of ['127.0.0.1', ...others]) {
    const answer = await fetch(`http://${address}:${port}/`).then(
      ({ status }) => status,
      () => 'nobody',
    );
    expect([address, answer]).toEqual([address, address === '127.0.0.1' ? 200 : 'nobody']);
  }
}

/** Buys on the shop's page and pays in the sandbox; answers the invoice and the event that told of it. */
export async function buy(shop: Shop): Promise<{ invoice: string; event: string; shown: string }> {
  const read = async (path: string) => await (await fetch(addressOf(shop, path))).text();
  const action = /action="(\/buy\?order=[0-9a-f-]{36})"/.exec(await read('/'))?.[1] ?? '';
  const sale = await press(shop, action);
  expect(await press(shop, action)).toBe(sale); // a double click sells once
  const shown = await read(sale);
  expect(await press(shop, `${sale}/pay`)).toBe(sale);
  const event = async () => /evt_[0-9a-z]{26}/.exec(await read(sale))?.[0];
  await expect.poll(event, { timeout: 15_000, interval: 100 }).toBeDefined();
  expect(await press(shop, action)).toBe(sale); // also after it was paid
  return { invoice: sale.split('/').at(-1) ?? '', event: (await event()) ?? '', shown };
}
