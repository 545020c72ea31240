import { RefundScene } from '../payments/refunds/refund-scene.ts';

/** A page as it is sent, and what a reader sees of it. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly markup: string;
  /** In one line. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&amp;': '&', '&quot;': '"' };

const textOf = (markup: string): string =>
  markup
    .replace(/<(title|style)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:lt|amp|quot);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

/** A scene of sales whose receipts are looked at. */
export class ReceiptScene extends RefundScene {
  pathOf(invoice: string): string {
    return new URL(this.deps.links.receipt({ id: invoice, liveMode: false })).pathname;
  }

  async show(path: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Shown> {
    const response = await fetch(this.api.baseUrl + path, { method });
    const markup = await response.text();
    return { status: response.status, headers: response.headers, markup, text: textOf(markup) };
  }

  page(invoice: string): Promise<Shown> {
    return this.show(this.pathOf(invoice));
  }

  /** What the page says under a heading, a fact a line. */
  async section(invoice: string, title: string): Promise<string[]> {
    const { markup } = await this.page(invoice);
    const [, after = ''] = markup.split(`<h2>${title}</h2>`);
    const [own = ''] = after.split('</section>');
    return [...own.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => textOf(`${name}: ${value}`));
  }

  /** What the merchant tells buyers of itself. */
  async look(look: Record<string, string>): Promise<void> {
    for (const [column, value] of Object.entries(look))
      await this.rows(`UPDATE account_look SET ${column} = $2 WHERE account_id = $1`, this.merchant.accountId, value);
  }
}
