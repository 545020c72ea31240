import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exchangesOf, storyAt } from '../../contract/openapi/examples.ts';
import { ApiDocument } from '../../site/document.ts';
import { requestsOf, type SampleRequest, sampleLanguages, sampleOf } from '../../site/samples.ts';
import { startReceiver } from '../support/receiver.ts';
import { Stories } from '../support/story.ts';
import { problemsOfTypes } from '../support/strict-types.ts';
import { needsLanguage } from '../support/toolbox.ts';
import { operationOf } from './recorder.ts';
import { startRunner } from './runners.ts';
import { BEGINNING, Tale } from './tale.ts';

const stories = new Stories();
const document = new ApiDocument('http://127.0.0.1:3000');
const operationsById = new Map(document.operations.map((operation) => [operation.operationId, operation]));
const STORY_MS = 300_000;

/** The shape of an answer: what it has, whatever it says. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
};

/** What a request of the client is in the words of the reference. */
function requestOf(url: URL, init: RequestInit = {}): Omit<SampleRequest, 'serverUrl'> {
  const { operation: id, ...path } = operationOf(init.method ?? 'GET', url.pathname);
  const operation = operationsById.get(id);
  if (operation === undefined) throw new Error(`${id} is not shown`);
  const exchange = {
    ...path,
    ...(url.searchParams.size > 0 && { query: Object.fromEntries(url.searchParams) }),
    ...(typeof init.body === 'string' && { body: JSON.parse(init.body) }),
  };
  return { operation, exchange };
}

describe('the samples of the reference', () => {
  test(
    'in TypeScript compile in a strict project',
    async () => {
      const folder = mkdtempSync(join(resolve('.fatura'), 'samples-'));
      try {
        const samples = document.operations.flatMap((operation) => requestsOf(operation, document));
        const files = samples.map(([, request], index) => {
          const file = `${index}-${request.operation.operationId}.ts`;
          writeFileSync(join(folder, file), sampleOf('typescript', request));
          return file;
        });
        expect(files.length).toBeGreaterThan(document.operations.length);
        expect(await problemsOfTypes(folder, files, ['--allowImportingTsExtensions', '--skipLibCheck'])).toBe('');
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    STORY_MS,
  );

  test.for(sampleLanguages)('in %s tell the story', { timeout: STORY_MS }, async (language, context) => {
    if (language === 'python') await needsLanguage(context, 'python');
    const { api } = stories;
    const runner = await startRunner(language);
    const receiver = await startReceiver();
    receiver.text = 'ok';
    const merchant = await api.newMerchant({ clock: BEGINNING });
    const sample: typeof globalThis.fetch = async (input, init) => {
      const request = { ...requestOf(new URL(String(input)), init), serverUrl: api.baseUrl };
      const told = await runner.run(request, merchant.sandboxKey);
      return Response.json(told.answer, { status: told.status });
    };
    try {
      const tale = new Tale({ api, merchant, receiver, fetch: sample });
      await tale.tell();
      const told = Object.keys(tale.recorder.operations);
      expect(new Set(told)).toEqual(new Set(operationsById.keys()));
      for (const id of told) {
        const [, shown] = exchangesOf(storyAt(api.baseUrl), id)[0] ?? [];
        expect(shapeOf(tale.recorder.operations[id]?.default?.answer), id).toEqual(shapeOf(shown?.answer));
      }
    } finally {
      runner.stop();
      await receiver.stop();
    }
  });
});
