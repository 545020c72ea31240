import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventTypes } from '../../contract/events.ts';
import { routes } from '../../sdk/src/generated/routes.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { Stories } from '../support/story.ts';
import { type Recording, settled } from './recorder.ts';
import { BEGINNING, DAY, Tale } from './tale.ts';

const FILE = new URL('../../contract/openapi/story.json', import.meta.url);

const stories = new Stories();
let receiver: Receiver;
let recording: Recording;

const HOUR = 3_600;

/** A link of the portal ends in real time. */
function portalEndOf({ recorder }: Tale): string {
  const told = /"portal_link".+?"expires_at":(\d+)/.exec(JSON.stringify(recorder.operations));
  return told?.[1] ?? 'none';
}

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.text = 'ok';
  const { api } = stories;
  const merchant = await api.newMerchant({ clock: BEGINNING });
  const tale = new Tale({ api, merchant, receiver, fetch: globalThis.fetch });
  await tale.tell();
  const { created } = await merchant.fatura.account.retrieve();
  const keys = await merchant.fatura.apiKeys.list().all({ max: 10 });
  const ofKeys = keys.flatMap((key) => [key.created, key.expires_at ?? created, key.revoked_at ?? created]);
  const entries = await merchant.fatura.auditLog.list().all({ max: 100 });
  const real = [...ofKeys, ...entries.map((entry) => entry.created)];
  recording = settled(
    { operations: tale.recorder.operations, events: tale.events },
    {
      [receiver.url]: 'https://loja.example/webhooks',
      // The account, its keys, its log and a sandbox that was reset are on real time.
      ...Object.fromEntries(real.map((at) => [at, String(BEGINNING + DAY * Math.round((at - created) / DAY))])),
      [created]: String(BEGINNING),
      [portalEndOf(tale)]: String(BEGINNING + HOUR),
      [api.clock.real()]: String(BEGINNING),
    },
  );
  if (process.env.RECORD_STORY === '1') writeFileSync(FILE, `${JSON.stringify(recording, null, 1)}\n`);
}, 120_000);

afterAll(() => receiver.stop());

describe('the story of the reference', () => {
  test('shows every operation', () => {
    expect(Object.keys(routes).filter((id) => recording.operations[id] === undefined)).toEqual([]);
  });

  test('has an event of each type', () => {
    expect(eventTypes.filter((type) => recording.events[type] === undefined)).toEqual([]);
  });

  test('is what the service answers today; RECORD_STORY=1 writes it anew', () => {
    expect(recording).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });
});
