import type { Request } from 'express';
import { describe, expect, test } from 'vitest';
import { isOpened, makeFirstCode, wantsCode } from '../../../server/web/first-code.ts';
import type { Purchase } from '../../../server/web/purchase.ts';

const asked = (headers: Record<string, string>, method = 'GET'): Request =>
  ({ method, get: (name: string) => headers[name] }) as unknown as Request; // all that is read of it

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('a page is opened', () => {
  test('by a browser that says so', () => expect(isOpened(asked(NAVIGATION))).toBe(true));

  test.each<[string, Record<string, string>, string?]>([
    ['a program that previews links', {}],
    ['a script', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a frame', { ...NAVIGATION, 'sec-fetch-dest': 'iframe' }],
    ['a browser that loads ahead', { ...NAVIGATION, 'sec-purpose': 'prefetch;prerender' }],
    ['an older one', { ...NAVIGATION, purpose: 'prefetch' }],
    ['a question for the headers alone', NAVIGATION, 'HEAD'],
  ])('not by %s', (_, headers, method) => expect(isOpened(asked(headers, method))).toBe(false));
});

const purchase = {
  ...{ id: 'in_1', standing: 'payable', methods: ['pix', 'card'], qr: null, mandate: null },
  ...{ takesCode: false, debitedOn: null, declined: null },
} as unknown as Purchase; // all that is read of it

describe('the code is made at first', () => {
  test('of what can be paid by PIX', () => expect(wantsCode(purchase)).toBe(true));

  test.each<[string, Partial<Purchase>]>([
    ['what waits for its buyer', { standing: 'buyer' }],
    ['what is paid', { standing: 'paid' }],
    ['what has its code', { qr: { copyPaste: 'x', expiresAt: 1 } as Purchase['qr'] }],
    ['a merchant without PIX', { methods: ['card'] }],
    ['what a promotion code can still be typed for', { takesCode: true }],
    ['what a mandate will debit', { debitedOn: 1 as Purchase['debitedOn'] }],
    ['what a card was just declined for', { declined: 'insufficient_funds' }],
  ])('not of %s', (_, more) => expect(wantsCode({ ...purchase, ...more })).toBe(false));
});

const logger = { error: () => {} } as never;
const limiter = (allowed: boolean) => ({ consume: async () => ({ allowed, resetSeconds: 60 }) }) as never;

describe('a page waits for its first code', () => {
  test('no longer than a moment, however slow the bank is', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const made = makeFirstCode({ deps: { logger }, rateLimiter: limiter(true) }, { purchase, make: () => promise });
    expect(await made).toBe(false);
    resolve();
  });

  test('not at all beyond its limit', async () => {
    const asked: string[] = [];
    const make = async (): Promise<void> => void asked.push('the bank');
    expect(await makeFirstCode({ deps: { logger }, rateLimiter: limiter(false) }, { purchase, make })).toBe(false);
    expect(asked).toEqual([]);
  });

  test('and has the button where the bank refuses', async () => {
    const make = () => Promise.reject(new Error('no'));
    expect(await makeFirstCode({ deps: { logger }, rateLimiter: limiter(true) }, { purchase, make })).toBe(false);
    const isMade = makeFirstCode({ deps: { logger }, rateLimiter: limiter(true) }, { purchase, make: async () => {} });
    expect(await isMade).toBe(true);
  });
});
