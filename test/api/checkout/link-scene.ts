import { request } from 'node:http';
import type { PaymentLink, PaymentLinkCreate } from '@fatura/sdk';
import type { Merchant } from '../../support/api.ts';
import { newPrice, newProduct } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { PageScene } from './page-scene.ts';

/** What a browser says when somebody opens a page in it; programs that preview links do not. */
export const SEEN = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'none' };

export interface Opened {
  readonly status: number;
  readonly text: string;
  /** Where it leads to; null: it is a page itself. */
  readonly location: string | null;
  /** What the browser sends from then on. */
  readonly cookie: string | null;
}

interface Visit {
  readonly method?: 'GET' | 'POST' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks for a page as a browser does, whose headers `fetch` would change. */
export const ask = (url: string, { method = 'GET', headers = {} }: Visit = {}): Promise<Opened> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const [cookie = null] = (response.headers['set-cookie'] ?? []).map((one) => one.split(';')[0] ?? '');
        const { location = null } = response.headers;
        resolve({ status: response.statusCode ?? 0, text, location, cookie });
      });
    });
    asked.on('error', reject);
    asked.end();
  });

/** A scene of links that sell to whoever opens them. */
export class LinkScene extends PageScene {
  async newLink({
    amount = 9_990,
    recurring = false,
    ...more
  }: Omit<PaymentLinkCreate, 'amount'> & { amount?: number; recurring?: boolean } = {}): Promise<PaymentLink> {
    const merchant: Merchant = this.merchant;
    const { id: product } = await newProduct(merchant, { name: 'Curso de violão' });
    const order = { product_id: product, unit_amount: amount };
    const { id } = await (recurring ? newMonthly(merchant, order) : newPrice(merchant, order));
    return merchant.fatura.paymentLinks.create({ line_items: [{ price_id: id, quantity: 1 }], ...more });
  }

  link(id: string): Promise<PaymentLink> {
    return this.merchant.fatura.paymentLinks.retrieve(id);
  }

  /** Sales and reservations of a link. */
  async counts(id: string): Promise<[sales: number, reserved: number]> {
    const { sales, reserved } = await this.link(id);
    return [sales, reserved];
  }

  addressOf({ url }: { url: string | null }, baseUrl: string = this.api.baseUrl): string {
    return baseUrl + new URL(url ?? '').pathname;
  }

  /** Opens a link as a person in a browser. */
  open(link: { url: string | null }, { headers = {}, ...more }: Visit = {}): Promise<Opened> {
    return ask(this.addressOf(link), { ...more, headers: { ...SEEN, ...headers } });
  }

  /** The session that a page led to. */
  sessionAt({ location }: Pick<Opened, 'location'>): string {
    const [id = ''] = /cs_[0-9a-z]{26}/.exec(location ?? '') ?? [];
    return id;
  }

  /** Opens a link, and answers the session that it led to. */
  async openSession(link: { url: string | null }) {
    return this.session(this.sessionAt(await this.open(link)));
  }
}
