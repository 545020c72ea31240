import type { RecordedExchange } from '../contract/openapi/examples.ts';
import type { ApiDocument, Operation } from './document.ts';
import { requestsOf } from './samples.ts';

const COLLECTION = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

function itemOf(operation: Operation, document: ApiDocument): object {
  const { operationId, method, path, summary, description } = operation;
  const [[, { exchange } = { exchange: {} }] = []] = requestsOf(operation, document);
  const { id, part, query = {}, body } = exchange as Partial<RecordedExchange>;
  const ids = [id, part];
  const variable = [...path.matchAll(/\{(\w+)\}/g)].map(([, key], at) => ({ key, value: ids[at] ?? '' }));
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const parameters = Object.entries(query).map(([key, value]) => ({ key, value }));
  return {
    name: summary,
    request: {
      method,
      description: `\`${operationId}\`${description === undefined ? '' : `\n\n${description}`}`,
      header: method === 'POST' ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : [],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}${parameters.length > 0 ? `?${new URLSearchParams(query)}` : ''}`,
        host: ['{{baseUrl}}'],
        path: segments,
        ...(parameters.length > 0 && { query: parameters }),
        ...(variable.length > 0 && { variable }),
      },
      ...(method !== 'GET' && {
        body: { mode: 'raw', raw: JSON.stringify(body ?? {}, null, 2), options: { raw: { language: 'json' } } },
      }),
    },
  };
}

/** A collection that Postman, Bruno and Insomnia import: every operation with the example of the reference. */
export const postmanCollection = (document: ApiDocument): object => ({
  info: { name: 'Fatura', schema: COLLECTION, description: document.introduction },
  auth: {
    type: 'apikey',
    apikey: [
      { key: 'key', value: 'Authorization', type: 'string' },
      { key: 'value', value: 'ApiKey {{apiKey}}', type: 'string' },
      { key: 'in', value: 'header', type: 'string' },
    ],
  },
  variable: [
    { key: 'baseUrl', value: document.serverUrl },
    { key: 'apiKey', value: 'sk_sandbox_…' },
  ],
  item: document.groups.map((group) => ({
    name: group['x-displayName'],
    description: group.description,
    item: document.operationsOf(group.name).map((operation) => itemOf(operation, document)),
  })),
});
