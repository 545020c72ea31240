import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGE_BYTES_MAX } from '../../../server/kernel/pages.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { send } from '../requests.ts';

const INVOICES = 40;
const LINES = 100;

let api: TestApi;
let shop: Merchant;

/** Nearly as large as an invoice can be. */
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const { id: customer_id } = await newCustomer(shop);
  const product = await shop.fatura.products.create({ name: 'x'.repeat(250) });
  const price = await shop.fatura.prices.create({ product_id: product.id, unit_amount: 500, type: 'one_time' });
  const line_items = Array.from({ length: LINES }, () => ({ price_id: price.id, quantity: 1 }));
  const metadata = [{ note: 'y'.repeat(8_000) }];
  for (let nth = 0; nth < INVOICES; nth += 1) {
    await newInvoice(shop, { customer_id, line_items, metadata, description: 'z'.repeat(1_000) });
  }
});
afterAll(() => api.stop());

interface Listed {
  readonly has_more: boolean;
  readonly data: readonly { id: string }[];
}

/** Every page of a list, and the bytes of each. */
async function pagesOf(path: string): Promise<{ pages: Listed[]; bytes: number[] }> {
  const pages: Listed[] = [];
  const bytes: number[] = [];
  for (let after = ''; ; ) {
    const { body } = await send(api, { method: 'GET', path: `${path}?limit=100${after}`, key: shop.sandboxKey });
    const page = body as Listed; // a list of the contract
    pages.push(page);
    bytes.push(Buffer.byteLength(JSON.stringify(page)));
    if (!page.has_more) return { pages, bytes };
    after = `&starting_after=${page.data.at(-1)?.id}`;
  }
}

test.each(['/invoices', '/events'])(
  'a page of %s ends at 1 MiB, and the pages together show everything',
  async (path) => {
    const { pages, bytes } = await pagesOf(path);
    const [first = 0] = bytes;
    const largest = first / (pages[0]?.data.length ?? 1);
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...bytes)).toBeLessThan(PAGE_BYTES_MAX + 2 * largest);
    const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    if (path === '/invoices') expect(ids).toHaveLength(INVOICES);
  },
);

test('the event feed ends its answers at 1 MiB too, and leaves nothing out', async () => {
  const listed = (await pagesOf('/events')).pages.flatMap(({ data }) => data.map(({ id }) => id));
  const told: string[] = [];
  let answers = 0;
  for (let asked = '?since=0'; ; ) {
    const { body } = await send(api, { method: 'GET', path: `/event_feed${asked}`, key: shop.sandboxKey });
    const { data, cursor, caught_up } = body as { data: { id: string }[]; cursor: string; caught_up: boolean };
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(1.3 * PAGE_BYTES_MAX);
    told.push(...data.map(({ id }) => id));
    answers += 1;
    if (caught_up) break;
    asked = `?cursor=${cursor}`;
  }
  expect(answers).toBeGreaterThan(1);
  expect(told.toSorted()).toEqual(listed.toSorted());
});
