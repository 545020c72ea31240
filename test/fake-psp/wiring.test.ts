import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Kept } from '../../dev/fake-psp/kept.ts';
import { profileNames, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { wiringCommand } from '../../dev/fake-psp/wiring.ts';
import { newId } from '../../server/kernel/ids.ts';
import { ApiPixSettings, problemsOf } from '../../server/payments/acquirer/api-pix/settings.ts';
import { probe } from '../../server/payments/live/probe.ts';

/** The settings that an operator gives by a command. */
function settingsIn(command: string): ApiPixSettings {
  const given = [...command.matchAll(/--([a-z-]+) ([^\s\\]+)/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  const options = new Map(given);
  const text = (name: string) => options.get(name) ?? null;
  const file = (name: string) => readFileSync(options.get(name) ?? '', 'utf8');
  const extras = given.filter(([name]) => name === 'extra').map(([, value]) => value.split('='));
  return ApiPixSettings.parse({
    profile: text('profile'),
    clientId: text('client-id'),
    clientSecret: file('client-secret-file'),
    certificate: file('certificate'),
    key: file('key'),
    pixKey: text('pix-key'),
    baseUrl: text('base-url'),
    tokenUrl: text('token-url'),
    ca: file('ca'),
    callbackCa: null,
    extras: Object.fromEntries(extras),
  });
}

test.each(profileNames)('the command that is printed wires an account with %s', async (profile) => {
  const folder = mkdtempSync(join(tmpdir(), 'fake-psp-'));
  const psp = await startFakePsp({ profile });
  try {
    const kept = new Kept(folder);
    const merchant = await kept.merchant(psp);
    const settings = settingsIn(wiringCommand(psp, merchant, kept.writeWiring(psp, merchant)));
    expect(problemsOf(settings, new Date())).toEqual([]);
    const told = { settings, publicUrl: 'https://loja.example.com', token: 'guessed-by-nobody' };
    const steps = await Array.fromAsync(probe({ accountId: newId('acct'), method: 'pix' }, told));
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
      ['token', true],
      ['charge', true],
      ['find', true],
      ['remove', true],
      ['webhook', true],
      ['webhook registered', true],
    ]);
    expect(psp.books(merchant)).toMatchObject({
      cobs: [{ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', amount: 1 }],
      webhook: { url: expect.stringContaining('https://loja.example.com/acquirer/notices/guessed-by-nobody') },
    });
  } finally {
    await psp.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
