import type { CheckoutSession } from '@fatura/sdk';
import { expect } from 'vitest';
import { CVC, cards } from '../../support/cards.ts';
import { CPF, unique } from '../../support/factories.ts';
import { SessionScene } from './session-scene.ts';

export const partsOf = ({ url }: { url: string }) => {
  const [, base = '', id = '', signature = ''] = new URL(url).pathname.split('/');
  return { base, id, signature };
};
export const pathOf = ({ url }: { url: string }): string => new URL(url).pathname;

const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

interface Sending {
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  readonly body?: unknown;
}

export const buyer = { name: 'Ana Souza', identifier: CPF, email: 'ana@loja.test', phone: '(11) 98765-4321' };

export const cardOf = (number: string = cards.approved, overrides: object = {}) => ({
  installments: 1,
  card: { number, exp_month: 12, exp_year: 2040, cvc: CVC },
  billing_details: { name: 'MARIA DA SILVA', document: CPF, address: null },
  ...overrides,
});

/** What each action of the page is sent. */
export const bodies: Readonly<Record<string, object>> = { buyer, pix: {}, card: cardOf(), simulation: {} };

/** A scene of sales whose pages are asked for things by whoever has, or has not, their links. */
export class PageScene extends SessionScene {
  /** Sends what the script of the page sends, and answers what came back. */
  async send(path: string, { headers = SAME_ORIGIN, key = `key-${unique()}`, body = {} }: Sending = {}) {
    const response = await fetch(this.api.baseUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers, ...(key === null ? {} : { 'Idempotency-Key': key }) },
      body: JSON.stringify(body),
    });
    const { purchase, problem } = await response.json();
    return { status: response.status, purchase, problem };
  }

  /** A session as nobody touched it. */
  async expectUntouched(session: CheckoutSession): Promise<void> {
    expect(await this.session(session.id)).toEqual(session);
    if (session.invoice != null) expect(await this.intentsOf(session.invoice)).toEqual([]);
  }
}
