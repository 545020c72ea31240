import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import type { CaseStep } from '../../server/kernel/case-step.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { createSecretBox } from '../../server/sealing/secret-box.ts';
import { builtWorkflows } from '../../workflows/bundle.ts';
import { startCodecServer } from '../../workflows/codec-server.ts';
import { createPayloadCodec, createPayloadReader } from '../../workflows/payload-codec.ts';
import { connectWorker, dataConverter, openClient } from '../../workflows/temporal.ts';
import { payloadsIn, wordsOf } from '../support/leaks.ts';
import { newSecretBox } from '../support/secret-box.ts';
import { temporalFiles } from './support.ts';

const ADDRESS = () => ({ address: inject('temporalAddress'), namespace: 'default', apiKey: null, tls: null });
const [former, next] = [randomBytes(32), randomBytes(32)];
const hashKey = randomBytes(32);
const box = createSecretBox(createKeyRing([former]), hashKey);

/** All that a history shows to whoever reads it without a key. */
const shown = (history: object): string => `${JSON.stringify(history)}\n${wordsOf(payloadsIn(history))}`;

describe('a payload', () => {
  const plain = defaultPayloadConverter.toPayload({ note: 'espera o banco' });

  test('is sealed with a key of the database, which stays when those of the ring change', async () => {
    const sealed = await createPayloadCodec(box).encode([plain]);
    expect(shown(sealed)).not.toContain('espera');
    expect(Buffer.from(sealed[0]?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('database');
    const later = createSecretBox(createKeyRing([next]), hashKey);
    const [opened] = await createPayloadCodec(later).decode(sealed);
    expect(wordsOf([opened ?? {}])).toBe(wordsOf([plain]));
    await expect(createPayloadCodec(newSecretBox([former])).decode(sealed)).rejects.toThrow();
  });

  test('in clear is refused, and shown to people', async () => {
    await expect(createPayloadCodec(box).decode([plain])).rejects.toThrow('not sealed');
    expect(await createPayloadReader(box).decode([plain])).toEqual([plain]);
  });

  test('that was tampered with does not open', async () => {
    const [sealed] = await createPayloadCodec(box).encode([plain]);
    const data = Buffer.from(sealed?.data ?? []);
    data[data.length - 1] = (data.at(-1) ?? 0) ^ 1;
    await expect(createPayloadCodec(box).decode([{ ...sealed, data }])).rejects.toThrow();
  });
});

describe('a case', () => {
  const taskQueue = `test-${randomBytes(6).toString('hex')}`;
  let client: Client;
  let worker: Worker;
  let running: Promise<void>;
  let steps: (() => Promise<CaseStep>)[] = [];
  beforeAll(async () => {
    client = openClient(ADDRESS(), box);
    worker = await Worker.create({
      connection: await connectWorker(ADDRESS()),
      taskQueue,
      dataConverter: dataConverter(box),
      workflowBundle: builtWorkflows(),
      activities: { caseStep: async () => (await steps.shift()?.()) ?? { done: true } },
    });
    running = worker.run();
  });
  afterAll(async () => {
    worker.shutdown();
    await running;
    await client.connection.close();
  });

  const play = async (...given: (() => Promise<CaseStep>)[]) => {
    steps = given;
    const workflowId = `pix-expiry/${randomBytes(6).toString('hex')}`;
    await client.workflow.execute('pix-expiry', { workflowId, taskQueue, args: ['MARIADASILVA'] });
    return client.workflow.getHandle(workflowId).fetchHistory();
  };

  test('leaves ciphertext alone in its history', async () => {
    const history = shown(await play());
    expect(history).not.toContain('MARIADASILVA');
    expect(history).toContain('binary/encrypted');
    const files = temporalFiles();
    expect(files.includes(taskQueue)).toBe(true);
    expect(files.includes('MARIADASILVA')).toBe(false);
  });

  test('shows what it waits for to who has the key alone', async () => {
    const note = 'espera o banco';
    const history = await play(async () => ({ done: false, dueInSeconds: 1, status: 'confirmed', note }));
    expect(shown(history)).not.toContain(note);
    expect(wordsOf(await createPayloadReader(box).decode(payloadsIn(history)))).toContain(note);
    // The name of the timer, as the UI shows it beside the event.
    const summaries = payloadsIn(history.events?.map(({ userMetadata }) => userMetadata));
    expect(wordsOf(summaries)).not.toContain('looks again');
    expect(wordsOf(await createPayloadReader(box).decode(summaries))).toContain('looks again');
  });

  test('tells of an error of the database its code and nothing of the row, and of any error no word in clear', async () => {
    const refused = Object.assign(new Error('duplicate key'), {
      severity: 'ERROR',
      code: '23505',
      constraint: 'customer_external_code',
      detail: 'Key (email)=(maria@example.com) already exists.',
    });
    const wrapped = new Error('insert into customer values (maria@example.com)', { cause: refused });
    Object.assign(wrapped, { severity: 'ERROR', code: '23505' });
    const history = await play(
      () => Promise.reject(wrapped),
      () => Promise.reject(new Error('O banco calou')),
    );
    expect(shown(history)).not.toContain('maria@example.com');
    expect(shown(history)).not.toContain('O banco calou');
    const failures = (history.events ?? []).flatMap(
      ({ activityTaskStartedEventAttributes: started }) => started?.lastFailure?.encodedAttributes ?? [],
    );
    const opened = wordsOf(await createPayloadReader(box).decode(failures));
    expect(opened).toContain('O banco calou');
    expect(opened).not.toContain('maria@example.com');
  });
});

describe('the codec server', () => {
  const ORIGIN = 'http://127.0.0.1:8233';

  async function serve(token: string | null) {
    const port = await freePort();
    const server = await startCodecServer({ codec: createPayloadReader(box), port, origins: [ORIGIN], token });
    onTestFinished(() => server.stop());
    return async (headers: Record<string, string>, body: string | null, method = 'POST') => {
      const asked = request({ host: '127.0.0.1', port, path: '/decode', method, headers });
      asked.end(body ?? undefined);
      const [answer] = await once(asked, 'response');
      return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
    };
  }

  const wire = ({ metadata, data }: Payload) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([key, value]) => [key, Buffer.from(value ?? []).toString('base64')]),
    ),
    data: Buffer.from(data ?? []).toString('base64'),
  });
  const sealedBody = async () =>
    JSON.stringify({
      payloads: (await createPayloadCodec(box).encode([defaultPayloadConverter.toPayload('espera o banco')])).map(wire),
    });
  const JSON_TYPE = { 'content-type': 'application/json' };
  const sized = (body: string) => ({ ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) });

  test('opens for the page of the Temporal UI and for the command line', async () => {
    const ask = await serve(null);
    const body = await sealedBody();
    for (const origin of [{}, { origin: ORIGIN }]) {
      const { status, body: answered } = await ask({ ...sized(body), ...origin }, body);
      expect(status).toBe(200);
      const [payload] = JSON.parse(answered).payloads;
      expect(Buffer.from(payload.data, 'base64').toString()).toBe('"espera o banco"');
    }
    const preflight = await ask({ origin: ORIGIN }, null, 'OPTIONS');
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': ORIGIN } });
  });

  test.each([
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['another name of this address', { host: 'evil.example' }, 421],
    ['what is no JSON', { 'content-type': 'text/plain' }, 415],
    ['more than four megabytes', { 'content-length': '5000000' }, 413],
  ])('refuses %s', async (_, headers, status) => {
    const ask = await serve(null);
    expect((await ask({ ...sized('{}'), ...headers }, '{}').catch(() => ({ status }))).status).toBe(status);
  });

  test('asks for its token where it has one', async () => {
    const ask = await serve('0123456789abcdef');
    const body = await sealedBody();
    expect((await ask(sized(body), body)).status).toBe(401);
    expect((await ask({ ...sized(body), authorization: 'Bearer 0123456789abcdeF' }, body)).status).toBe(401);
    expect((await ask({ ...sized(body), authorization: 'Bearer 0123456789abcdef' }, body)).status).toBe(200);
  });
});
