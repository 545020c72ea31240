import type { Account } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAdmin } from '../../support/admin.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { png, serveFiles } from '../../support/images.ts';

const YEAR = 366 * 86_400;
/** Each command is a process of its own. */
const MANY_COMMANDS_MS = 120_000;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

type Mode = 'fatura' | 'live';

/** What is told of the account in a mode, oldest first. */
const toldOf = async (shop: Merchant, mode: Mode): Promise<object[]> => {
  const events = await shop[mode].events.list({ related_object: shop.accountId }).all({ max: 100 });
  return events.toReversed().map(({ type, created, live_mode, data }) => ({ type, created, live_mode, ...data }));
};

const changeOf = (account: Account, created = api.clock.now()) => ({
  type: 'account.updated',
  created,
  live_mode: account.live_mode,
  object: account,
});

interface Letter {
  readonly recipient: string;
  readonly recipient_name: string;
  readonly subject: string;
  readonly body_text: string;
  readonly body_html: string;
  readonly live_mode: boolean;
}

const lettersOf = async ({ accountId }: Merchant): Promise<Letter[]> => {
  const { rows } = await api.composition.deps.pool.query<Letter>(
    `SELECT recipient, recipient_name, subject, body_text, body_html, live_mode FROM mail
     WHERE account_id = $1 AND occasion = 'account_changed' ORDER BY id`,
    [accountId],
  );
  return rows;
};

describe('a change of what an account tells of itself', () => {
  test.each(['fatura', 'live'] as const)(
    'is an event of its mode alone, as the account stands then (%s)',
    async (mode) => {
      const shop = await api.newMerchant();
      const renamed = await shop[mode].account.update({ name: 'Loja Nova' });
      const colored = await shop[mode].account.update({ color: '#6b21a8' });
      expect(await toldOf(shop, mode)).toEqual([renamed, colored].map((account) => changeOf(account)));
      expect(await toldOf(shop, mode === 'live' ? 'fatura' : 'live')).toEqual([]);
    },
  );

  test('that changes nothing is none', async () => {
    const shop = await api.newMerchant();
    await shop.live.account.update({});
    await shop.live.account.update({ name: 'Loja do Teste', tax_id: null });
    expect([await toldOf(shop, 'live'), await lettersOf(shop)]).toEqual([[], []]);
  });

  test('is another image of the logo, too, though its address stays', async () => {
    const shop = await api.newMerchant();
    let content = png({ seed: 81 });
    const { origin } = await serveFiles((_, response) => response.end(content));
    const account = await shop.fatura.account.update({ logo_url: origin });
    await shop.fatura.account.update({ logo_url: origin });
    content = png({ seed: 82 });
    await shop.fatura.account.update({ logo_url: origin });
    expect(await toldOf(shop, 'fatura')).toEqual([changeOf(account), changeOf(account)]);
  });

  test('is delivered to whoever subscribes to it', async () => {
    const shop = await api.newMerchant();
    const urls = { url: 'http://127.0.0.1:9/webhooks' };
    const { id } = await shop.fatura.webhookEndpoints.create({ ...urls, event_types: ['account.*'] });
    await shop.fatura.webhookEndpoints.create({ ...urls, event_types: ['invoice.*'] });
    await shop.fatura.account.update({ name: 'Loja Nova' });
    const [event] = (await shop.fatura.events.list().page()).data;
    const { deliveries } = await shop.fatura.events.deliveries(event?.id ?? '');
    expect(deliveries.data.map(({ webhook_endpoint }) => webhook_endpoint)).toEqual([id]);
  });

  test('happens in real time again once the test clock is reset, and what the sandbox shows stays', async () => {
    const shop = await api.newMerchant({ clock: api.clock.now() + YEAR });
    const before = await shop.fatura.account.update({ name: 'Loja do futuro' });
    expect(await toldOf(shop, 'fatura')).toEqual([changeOf(before, api.clock.now() + YEAR)]);
    await shop.fatura.testClock.reset();
    expect(await shop.fatura.account.retrieve()).toEqual(before);
    const after = await shop.fatura.account.update({ name: 'Loja de hoje' });
    expect(await toldOf(shop, 'fatura')).toEqual([changeOf(after)]);
  });
});

describe('the owner of an account', () => {
  test('is written to when a key changes what live buyers see', async () => {
    const shop = await api.newMerchant();
    const { rows } = await api.composition.deps.pool.query<{ id: string }>(
      'SELECT id FROM api_key WHERE account_id = $1 AND live_mode',
      [shop.accountId],
    );
    await shop.live.account.update({ support_phone: '(11) 4002-8922' });
    const [letter, ...more] = await lettersOf(shop);
    expect(more).toEqual([]);
    expect(letter).toMatchObject({
      live_mode: true,
      recipient: 'dono@loja.test',
      recipient_name: 'Loja do Teste',
      subject: `O que seus compradores veem mudou – ${shop.accountId}`,
    });
    expect(letter?.body_text).toContain('Telefone de atendimento: (vazio) → +551140028922\n');
    expect(letter?.body_text).toContain(`Alterado por: chave de API ${rows[0]?.id}\n`);
    expect(letter?.body_text).toMatch(/Quando: \d{2}\/\d{2}\/\d{4}.* \(horário de Brasília\)\n/);
  });

  test('is not written to about what the sandbox shows', async () => {
    const shop = await api.newMerchant();
    await shop.fatura.account.update({ name: 'Loja Nova' });
    expect(await lettersOf(shop)).toEqual([]);
  });

  test('reads what a stranger wrote as text, of which no mail program makes a link', async () => {
    const shop = await api.newMerchant();
    const name = '<a href="https://golpe.example">Veja</a> golpe.example/x ou fale com a@golpe.example';
    await shop.live.account.update({ name, support_email: 'suporte@golpe.example' });
    await shop.live.account.update({ name: 'Loja do Teste' });
    const letters = await lettersOf(shop);
    expect(letters).toHaveLength(2);
    for (const { subject, body_text, body_html } of letters) {
      expect(body_html).toContain('&lt;a href=');
      expect(body_html).not.toMatch(/<a\b|<img\b/);
      for (const text of [subject, body_text, body_html])
        expect(text).not.toMatch(/golpe\.example|@golpe|https?:\/\/golpe/);
    }
    expect(letters.map(({ recipient_name }) => recipient_name)[0]).toBe('Loja do Teste');
  });
});

describe('what an operator changes', { timeout: MANY_COMMANDS_MS }, () => {
  const set = ({ accountId }: Merchant, ...options: string[]) =>
    runAdmin(api, ['--as', 'Ana', 'account', 'set', accountId, ...options]);

  test('is told as what a key changes, in its order', async () => {
    const shop = await api.newMerchant();
    const { id } = await shop.live.webhookEndpoints.create({
      url: 'https://loja.test/w',
      event_types: ['account.updated'],
    });
    const first = await shop.live.account.update({ name: 'Loja Nova' });
    expect(await set(shop, '--name', 'Loja Novíssima')).toMatchObject({ code: 0, err: '' });
    const second = await shop.live.account.retrieve();
    const third = await shop.live.account.update({ color: '#6b21a8' });
    expect((await toldOf(shop, 'live')).map((told) => ({ ...told, created: 0 }))).toEqual(
      [first, second, third].map((account) => changeOf(account, 0)),
    );
    const [, event] = (await shop.live.events.list().page()).data;
    const { deliveries, delivery_status } = await shop.live.events.deliveries(event?.id ?? '');
    expect([deliveries.data.map((one) => one.webhook_endpoint), delivery_status]).toEqual([[id], 'pending']);
    const [, letter] = await lettersOf(shop);
    expect(letter?.recipient_name).toBe('Loja Nova');
    expect(letter?.body_text).toContain('Nome: Loja Nova → Loja Novíssima\n');
    expect(letter?.body_text).toContain('Alterado por: operador da Fatura (Ana)\n');
  });

  test('of a sandbox is an event there, and no letter; of nothing it is none', async () => {
    const shop = await api.newMerchant({ clock: api.clock.now() + YEAR });
    await set(shop, '--mode', 'sandbox', '--name', 'Loja em teste');
    await set(shop, '--mode', 'sandbox', '--name', 'Loja em teste');
    await set(shop, '--city', 'Recife');
    const [told, ...more] = await toldOf(shop, 'fatura');
    expect(more).toEqual([]);
    expect(told).toMatchObject({ type: 'account.updated', object: { name: 'Loja em teste', live_mode: false } });
    expect(await toldOf(shop, 'live')).toEqual([]);
    expect(await lettersOf(shop)).toEqual([]);
  });
});
