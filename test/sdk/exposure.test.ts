import { Fatura } from '@fatura/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { API_KEY, fakeService } from './fake-service.ts';

afterEach(() => void vi.unstubAllGlobals());

/** The globals of a page, seen by the client as a browser shows them. */
function enterPage(userAgent: string): void {
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('document', {});
  vi.stubGlobal('navigator', { userAgent });
}

describe('a key in a browser', () => {
  test('is refused, with the reason and the way to go', () => {
    enterPage('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0');
    const create = () => new Fatura({ apiKey: API_KEY });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(/browser.*shown to everybody.*call Fatura from your server.*hosted page/);
    expect(create).not.toThrow(API_KEY);
  });

  test.each([
    'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/31.0.1',
    'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) HappyDOM/20.0.0',
  ])('is not meant where tests on a server simulate a page: %s', async (userAgent) => {
    enterPage(userAgent);
    const service = await fakeService({ body: { id: 'in_1' } });
    expect(await service.client().invoices.retrieve('in_1')).toEqual({ id: 'in_1' });
  });

  test('is not needed by a page whose own fetch shows who calls', async () => {
    enterPage('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0');
    const sent: unknown[] = [];
    const fetch = (url: unknown, { headers }: RequestInit = {}) => {
      sent.push(url, new Headers(headers).get('Authorization'));
      return Promise.resolve(Response.json({ id: 'in_1' }));
    };
    const fatura = new Fatura({ apiKey: null, baseUrl: 'https://loja.example/painel', fetch });
    expect(await fatura.invoices.retrieve('in_1')).toEqual({ id: 'in_1' });
    expect(sent).toEqual(['https://loja.example/painel/api/v1/invoices/in_1', null]);
    expect(() => new Fatura({ apiKey: null })).toThrow('apiKey is missing');
  });

  test('is not meant in a worker or in React Native, which have no document', () => {
    vi.stubGlobal('window', globalThis);
    expect(() => new Fatura({ apiKey: API_KEY })).not.toThrow();
  });
});

describe('a live key', () => {
  const LIVE_KEY = API_KEY.replace('sandbox', 'live');

  test.each([
    'http://fatura.loja.example',
    'http://10.0.0.7:3000',
    'http://localhost.loja.example',
    'http://127.0.0.1.example',
  ])('is not sent over plain http: %s', (baseUrl) => {
    const create = () => new Fatura({ apiKey: LIVE_KEY, baseUrl });
    expect(create).toThrow(`a live key goes over https alone: baseUrl is ${baseUrl}`);
    expect(create).not.toThrow(LIVE_KEY);
  });

  test.each([
    'https://fatura.loja.example',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://127.1:80',
    'http://[::1]:3000',
  ])('is sent over https, and over http within the machine: %s', (baseUrl) =>
    expect(() => new Fatura({ apiKey: LIVE_KEY, baseUrl })).not.toThrow(),
  );

  test('is the only one held to it: a sandbox has no money', () => {
    expect(() => new Fatura({ apiKey: API_KEY, baseUrl: 'http://10.0.0.7:3000' })).not.toThrow();
  });
});
