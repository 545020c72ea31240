import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { portalAt } from './visit.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());
/** Limits of a test are not those of the next. */
afterEach(() => api.composition.deps.pool.query(`DELETE FROM rate_limit WHERE key LIKE 'page_portal%'`));

const anAddress = (): string => `ana${unique()}@outra.test`;
const customerOf = ({ fatura }: Pick<Merchant, 'fatura'>, email: string) =>
  fatura.customers.create({ name: 'Ana Souza', identifier: '52998224725', email });

interface Letter {
  readonly customer_id: string;
  readonly account_id: string;
  readonly live_mode: boolean;
  readonly body_text: string;
  readonly status: string;
}

const lettersTo = async (email: string): Promise<Letter[]> =>
  (
    await api.composition.deps.pool.query<Letter>(
      `SELECT customer_id, account_id, live_mode, body_text, status FROM mail WHERE lower(recipient) = lower($1) AND occasion = 'portal_link' ORDER BY id`,
      [email],
    )
  ).rows;

const ask = (email: string, headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' }) =>
  fetch(`${api.baseUrl}/portal`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ email }), headers });

/** Everything that was asked for before is looked up before this, one at a time. */
async function settled(): Promise<void> {
  const last = anAddress();
  await customerOf(shop, last);
  await ask(last);
  await expect.poll(() => lettersTo(last)).toHaveLength(1);
}

test('each merchant that knows the address writes one letter, in the mode of its customer, with a link that opens as often as it is looked at', async () => {
  const other = await api.newMerchant();
  const email = anAddress();
  const one = await customerOf(shop, email);
  const live = await customerOf({ fatura: shop.live }, email);
  const theirs = await customerOf(other, email.toUpperCase());
  await customerOf(other, anAddress());
  await ask(email);
  await expect.poll(() => lettersTo(email)).toHaveLength(3);
  const letters = await lettersTo(email);
  expect(new Set(letters.map(({ customer_id: id, live_mode: isLive }) => `${id} ${isLive}`))).toEqual(
    new Set([`${one.id} false`, `${live.id} true`, `${theirs.id} false`]),
  );
  for (const { body_text: text } of letters) {
    const [url = ''] = /http\S+\/portal\/\S+/.exec(text) ?? [];
    for (let look = 0; look < 3; look += 1) expect((await portalAt(api, url).get()).status).toBe(200);
  }
});

test('the answer is the same whoever is known, and for what comes too often; 3 an hour are written', async () => {
  const [known, unknown] = [anAddress(), anAddress()];
  await customerOf(shop, known);
  const answers = [];
  for (const email of [known, unknown, known, known, known, known]) {
    const { status, headers } = await ask(email);
    answers.push([status, headers.get('location')]);
  }
  expect(answers).toEqual(Array(6).fill([303, 'portal?sent=1']));
  await settled();
  expect([(await lettersTo(known)).length, (await lettersTo(unknown)).length]).toEqual([3, 0]);
});

test('an address that its buyer typed counts once it is confirmed or the customer has paid', async () => {
  const email = anAddress();
  const customer = await customerOf(shop, email);
  const { pool } = api.composition.deps;
  await pool.query(
    `INSERT INTO typed_email (id, account_id, live_mode, created, email_index) SELECT id, account_id, live_mode, created, email_index FROM customer WHERE id = $1`,
    [customer.id],
  );
  await ask(email);
  await settled();
  expect(await lettersTo(email)).toEqual([]);
  const product = await shop.fatura.products.create({ name: 'Aula' });
  const price = await shop.fatura.prices.create({ product_id: product.id, unit_amount: 1_000, type: 'one_time' });
  const invoice = await shop.fatura.invoices.create({
    customer_id: customer.id,
    line_items: [{ price_id: price.id, quantity: 1 }],
  });
  await payByPix(shop, invoice.id);
  await ask(email);
  await expect.poll(() => lettersTo(email)).toHaveLength(1);
});

test('nobody is written to who is anonymized, or whose address is another by now', async () => {
  const [gone, former] = [anAddress(), anAddress()];
  await shop.fatura.customers.anonymize((await customerOf(shop, gone)).id);
  const moved = await customerOf(shop, former);
  await shop.fatura.customers.update(moved.id, { email: anAddress() });
  await ask(gone);
  await ask(former);
  await settled();
  expect([await lettersTo(gone), await lettersTo(former)]).toEqual([[], []]);
});

test('the API shows no link of such a letter, and the log no address and no secret', async () => {
  const email = anAddress();
  const { id } = await customerOf(shop, email);
  await ask(email);
  await expect.poll(() => lettersTo(email)).toHaveLength(1);
  const [letter] = await lettersTo(email);
  const secret = /sandbox_[\w-]{43}/.exec(letter?.body_text ?? '')?.[0] ?? '';
  expect(secret).not.toBe('');
  const [shown] = await shop.fatura.mails.list({ customer_id: id }).all({ max: 2 });
  expect(shown).toMatchObject({ occasion: 'portal_link', text: expect.stringContaining('/portal/***') });
  expect(JSON.stringify(shown)).not.toContain(secret);
  expect(api.logged()).not.toContain(secret);
  expect(api.logged()).not.toContain(email);
});

test('what is no address is told so, a form of another site is refused, and one place asks for 20 addresses an hour', async () => {
  const none = await ask('ana');
  expect([none.status, (await none.text()).includes('Informe um e-mail como')]).toEqual([400, true]);
  expect((await ask(anAddress(), { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  const statuses = [];
  for (let n = 0; n < 21; n += 1) statuses.push((await ask(anAddress())).status);
  expect(statuses).toEqual([...Array(20).fill(303), 429]);
});

test('the page itself is kept out of caches, and its address leads nowhere else', async () => {
  const page = await fetch(`${api.baseUrl}/portal`);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  expect((await fetch(`${api.baseUrl}/portal/`)).status).toBe(404);
  const asked = await (await fetch(`${api.baseUrl}/portal?sent=1`)).text();
  expect(asked).toContain('Confira o seu e-mail');
});
