import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';

test('a person starts it, is told how to wire an account, and breaks it by its control', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fake-pagarme-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['dev/fake-pagarme/main.ts', '--port', String(port), '--dir', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(dir, { recursive: true });
  });
  const [told] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(told).toContain(`--live card --secret-key-file ${join(dir, 'secret-key')} --public-key pk_test_`);
  expect(statSync(join(dir, 'secret-key')).mode & 0o077).toBe(0);
  const control = `http://127.0.0.1:${port + 1}`;
  expect(await (await fetch(control)).text()).toContain('<h1>Fake Pagar.me</h1>');
  const post = (path: string, body: unknown, type = 'application/json') =>
    fetch(control + path, { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) });
  expect((await post('/troubles', { kind: 'answer_lost', next: 1 }, 'text/plain')).status).toBe(415);
  expect((await post('/troubles', { kind: 'no such' })).status).toBe(400);
  expect((await post('/troubles', { kind: 'answer_lost', next: 1 })).status).toBe(204);
  expect(await (await fetch(`${control}/troubles`)).json()).toEqual([{ kind: 'answer_lost', next: 1 }]);
  expect((await post('/hook', { url: 'http://127.0.0.1:3000/acquirer/notices/x' })).status).toBe(204);
  expect((await post('/charges/ch_none/chargeback', {})).status).toBe(404);
  expect(await (await fetch(`${control}/books`)).json()).toMatchObject({
    hook: 'http://127.0.0.1:3000/acquirer/notices/x',
    charges: [],
  });
});
