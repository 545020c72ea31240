import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Connection } from '@temporalio/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { freePort } from '../../dev/embedded/ports.ts';
import { CASES_QUERY, casesUrl } from '../../dev/embedded/temporal.ts';
import { BROWSER_MS, openBrowser } from '../web/browser.ts';

const START_MS = 180_000;
const SCHEDULE = 'billing-run';
/** A name of a stranger that leads to this machine, as a page can make its own name do. */
const STRANGER = 'evil.test';

interface Listener {
  readonly program: string;
  readonly host: string;
  readonly port: number;
}

let dataDir: string;
let started: ChildProcess;
let uiPort: number;
let said = '';
let listeners: Listener[];
let temporal: Connection;
let browser: Browser;
let strangersPage: Server;
let strangersOrigin: string;

/** What `npm start` runs, with `npm start` itself. */
function familyOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      parents.set(pid, Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]));
    } catch {} // it ended meanwhile
  }
  const isOfIt = (pid: number): boolean => pid === root || (parents.has(pid) && isOfIt(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isOfIt);
}

const PROGRAMS = ['server/main.ts', 'workflows/main.ts', 'dev/start.ts', 'temporal', 'postgres'];

/** As the kernel of Linux tells: `0100007F:1F90` is port 8080 of 127.0.0.1. */
function listenersOf(pid: number): Listener[] {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  const program = PROGRAMS.find((name) => command.includes(name)) ?? command;
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[3] === '0A' && own.has(columns[9]))
    .map((columns) => columns[1] ?? '')
    .map((address) => ({
      program,
      host: [...Buffer.from(address.slice(0, 8), 'hex')].reverse().join('.'),
      port: Number.parseInt(address.slice(9), 16),
    }));
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'fatura-loopback-'));
  uiPort = await freePort();
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const ports = { PORT: String(await freePort()), TEMPORAL_UI_PORT: String(uiPort) };
  started = spawn(process.execPath, ['dev/start.ts'], {
    env: { PATH, HOME, XDG_CACHE_HOME, DATA_DIR: join(dataDir, 'data'), ...ports },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const part of started.stdout ?? []) {
    said += part;
    if (said.includes('Fatura is ready')) break;
  }
  expect(said).toContain('Fatura is ready');
  listeners = familyOf(started.pid ?? 0).flatMap(listenersOf);
  const address = readRunningInstance(join(dataDir, 'data'))?.temporalAddress ?? '';
  temporal = await Connection.connect({ address });
  strangersPage = createServer((_call, answer) => answer.setHeader('content-type', 'text/html').end('<h1>Prizes</h1>'));
  await once(strangersPage.listen(0, '127.0.0.1'), 'listening');
  const bound = strangersPage.address();
  strangersOrigin = `http://${STRANGER}:${typeof bound === 'object' ? bound?.port : ''}`;
  browser = await openBrowser([`--host-resolver-rules=MAP ${STRANGER} 127.0.0.1`]);
}, START_MS + BROWSER_MS);

afterAll(async () => {
  await browser?.close();
  strangersPage?.close();
  await temporal?.close();
  if (started?.exitCode === null) {
    started.stdout?.resume();
    started.kill('SIGTERM');
    await once(started, 'exit');
  }
  rmSync(dataDir, { recursive: true, force: true });
}, START_MS);

/** What a stranger would do to a Temporal that let him: read cases, pause a run, and start a workflow with input of his own. */
const TRIES = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/api/v1/namespaces' },
  { method: 'GET', path: '/api/v1/settings' },
  { method: 'GET', path: '/namespaces/default/workflows' },
  { method: 'POST', path: '/decode', body: '{"payloads":[]}' },
  {
    method: 'POST',
    path: `/api/v1/namespaces/default/schedules/${SCHEDULE}/patch`,
    body: '{"patch":{"pause":"mine"}}',
  },
  { method: 'POST', path: `/namespaces/default/schedules/${SCHEDULE}/patch`, body: '{"patch":{"pause":"mine"}}' },
  {
    method: 'POST',
    path: '/api/v1/namespaces/default/workflows/stranger',
    body: JSON.stringify({ workflowType: { name: 'billingRun' }, taskQueue: { name: 'fatura' }, requestId: 'one' }),
  },
  { method: 'POST', path: '/temporal.api.workflowservice.v1.WorkflowService/ListNamespaces', body: '' },
  { method: 'POST', path: '/namespaces/default/task-queues/fatura/nexus-services/x/y', body: '{}' },
] as const;

async function untouched(): Promise<void> {
  const { workflowService } = temporal;
  const { schedule } = await workflowService.describeSchedule({ namespace: 'default', scheduleId: SCHEDULE });
  expect(schedule?.state?.paused).toBe(false);
  const execution = { workflowId: 'stranger' };
  await expect(workflowService.describeWorkflowExecution({ namespace: 'default', execution })).rejects.toThrow();
}

/** The status of an answer; what speaks no HTTP: null. */
async function statusOf(to: Listener, { method, path, ...rest }: (typeof TRIES)[number]): Promise<number | null> {
  const headers = { host: `${STRANGER}:${to.port}`, 'content-type': 'text/plain' };
  const call = request({ host: to.host, port: to.port, method, path, headers, timeout: 10_000 });
  call.once('timeout', () => call.destroy());
  call.end('body' in rest ? rest.body : undefined);
  try {
    const [response] = await once(call, 'response');
    await text(response);
    return response.statusCode;
  } catch {
    return null;
  }
}

const isHidden = ({ host }: Listener): boolean => host !== '127.0.0.1';

test.runIf(process.platform === 'linux')('a start listens on this machine alone, on ports that are all known', () => {
  const count = (program: string) => listeners.filter((one) => one.program === program).length;
  expect(PROGRAMS.map((program) => [program, count(program)])).toEqual([
    ['server/main.ts', 1],
    ['workflows/main.ts', 1],
    ['dev/start.ts', 1],
    // gRPC of its services, the HTTP API, metrics, and the UI.
    ['temporal', 6],
    ['postgres', 1],
  ]);
  expect(listeners.filter(({ host }) => !host.startsWith('127.'))).toEqual([]);
  // The UI asks nobody who they are, so no page knows where it is.
  expect(listeners.filter(isHidden)).toHaveLength(1);
});

test.runIf(process.platform === 'linux')(
  'no port of a start answers a caller by another name of this machine',
  async () => {
    const answered = [];
    for (const to of listeners.filter((one) => !isHidden(one) && one.program !== 'server/main.ts')) {
      for (const each of TRIES) {
        const status = await statusOf(to, each);
        if (status !== null && status < 400) answered.push({ program: to.program, path: each.path, status });
      }
    }
    expect(answered).toEqual([]);
    await untouched();
  },
);

/** Asks as a script of the page can; resolves to what it could read. */
function askFrom(page: Page, urls: readonly string[]): Promise<string[]> {
  const asked = urls.flatMap((base) => TRIES.map(({ path, ...rest }) => ({ url: base + path, ...rest })));
  return page.evaluate(async (calls) => {
    const read: string[] = [];
    for (const { url, ...init } of calls) {
      for (const mode of ['cors', 'no-cors'] as const) {
        try {
          const response = await fetch(url, {
            ...init,
            mode,
            credentials: 'include',
            signal: AbortSignal.timeout(5_000),
          });
          if (response.type !== 'opaque' && response.ok) read.push(`${url} ${await response.text()}`);
        } catch {} // the browser or the port refused
      }
    }
    return read;
  }, asked);
}

async function open(url: string): Promise<{ page: Page; status: number | null }> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const response = await page.goto(url).catch(() => null);
  return { page, status: response?.status() ?? null };
}

test.runIf(process.platform === 'linux')(
  'a page of another origin reads and changes nothing of Temporal, nor has payloads opened',
  async () => {
    const { page } = await open(strangersOrigin);
    const ports = listeners.filter((one) => one.program !== 'server/main.ts' && !isHidden(one)).map(({ port }) => port);
    const urls = ports.flatMap((port) => [`http://127.0.0.1:${port}`, `http://localhost:${port}`]);
    expect(await askFrom(page, urls)).toEqual([]);
    await untouched();
  },
  START_MS,
);

test.runIf(process.platform === 'linux')(
  'a page whose name was made to lead here is not served',
  async () => {
    for (const { port, program } of listeners.filter((one) => !isHidden(one) && one.program !== 'server/main.ts')) {
      const { page, status } = await open(`http://${STRANGER}:${port}/api/v1/namespaces`);
      expect({ program, isRefused: status === null || status >= 400 }).toEqual({ program, isRefused: true });
      // What was served before the name led here goes on in its window, as a page of the same origin.
      await page.route(`http://${STRANGER}:${port}/prizes`, (route) => route.fulfill({ body: '<h1>Prizes</h1>' }));
      await page.goto(`http://${STRANGER}:${port}/prizes`).catch(() => {});
      expect(await askFrom(page, [`http://${STRANGER}:${port}`]).catch(() => [])).toEqual([]);
    }
    await untouched();
  },
  START_MS,
);

test('the UI serves its own pages, by each name of this machine, and links lead there', {
  timeout: START_MS,
}, async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const { page, status } = await open(`http://${host}:${uiPort}/namespaces/default/schedules`);
    expect(status).toBe(200);
    await page.getByText(SCHEDULE, { exact: true }).first().waitFor();
    const namespaces = await page.evaluate(async () => (await fetch('/api/v1/namespaces')).status);
    expect(namespaces).toBe(200);
  }
  const { page } = await open(strangersOrigin);
  await page.evaluate((url) => {
    document.body.innerHTML = `<a href="${url}">Temporal</a>`;
  }, `http://127.0.0.1:${uiPort}/`);
  await page.getByText('Temporal').click();
  await page.waitForURL(`http://127.0.0.1:${uiPort}/**`);
  await page.getByText('Workflows').first().waitFor();
});

test('the UI shows the cases without the scheduled runs at the address that the start prints', {
  timeout: START_MS,
}, async () => {
  const { workflowService } = temporal;
  const namespace = 'default';
  const count = async (query: string) =>
    Number((await workflowService.countWorkflowExecutions({ namespace, query })).count);
  const patch = { triggerImmediately: { overlapPolicy: 1 } };
  await workflowService.patchSchedule({ namespace, scheduleId: SCHEDULE, requestId: 'once', patch });
  await expect.poll(() => count(`WorkflowType = '${SCHEDULE}'`), { timeout: START_MS }).toBeGreaterThan(0);
  expect(await count(CASES_QUERY)).toBe(0);
  expect(said).toContain(`Cases there  ${casesUrl({ port: uiPort, namespace })}`);
  const { page, status } = await open(casesUrl({ port: uiPort, namespace }));
  expect(status).toBe(200);
  await page.getByText('TemporalScheduledById').first().waitFor();
});
