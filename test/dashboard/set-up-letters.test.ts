import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { suppress } from '../../server/mail/suppression.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { Browser, newPerson, PASSWORD } from '../support/people.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';

let server: MailServer;
let api: TestApi;
beforeAll(async () => {
  server = await startMailServer();
  api = await startApi({ mail: { smtpUrl: server.url, from: { name: null, address: 'conta@loja.test' } } });
});
afterEach(() => {
  server.delivered.length = 0;
  server.answer = () => null;
});
afterAll(async () => {
  await api.stop();
  await server.stop();
});

const anOwner = async () => newPerson(api, { accountId: (await api.newMerchant()).accountId, role: 'owner' });

const hrefOf = (html = ''): string | undefined => /href="([^"]+)"/.exec(html)?.[1];

describe('an invitation', () => {
  test('is mailed to whoever is invited alone, and is kept neither in the list of e-mails nor in the log', async () => {
    const owner = await anOwner();
    const { status, body } = await owner.post('/auth/staff', { email: 'Maria@Loja.test', role: 'support' });
    expect([status, body.mail]).toEqual([200, 'sent']);
    const [{ to, mail } = { to: null, mail: null }, ...others] = server.delivered;
    expect([to, others]).toEqual([['maria@loja.test'], []]);
    expect(mail?.subject).toBe('Convite para o painel – Loja do Teste');
    expect(mail?.text).toContain('Pessoa owner convidou você para o painel de Loja do Teste');
    expect(mail?.text).toContain('Seu papel: atendimento');
    expect(mail?.text).toContain(body.link);
    expect(hrefOf(mail?.html)).toBe(body.link);
    expect((await api.operator.pool.query('SELECT id FROM mail')).rows).toEqual([]);
    const token = new URL(body.link).hash.slice(1);
    expect(api.logged()).not.toContain(token);
    const invited = await new Browser(api.baseUrl).post('/auth/setup', { token, name: 'Maria', password: PASSWORD });
    expect(invited.status).toBe(200);
  });

  test('counts although its letter was refused: its link was answered, and the log names nobody', async () => {
    const owner = await anOwner();
    server.answer = () => ({ at: 'recipient', code: 550 });
    const { status, body } = await owner.post('/auth/staff', { email: 'recusada@loja.test', role: 'viewer' });
    expect([status, body.mail]).toEqual([200, 'not_sent']);
    expect(api.logged()).toContain('a letter with a link to the dashboard was not taken');
    expect(api.logged()).not.toContain('recusada@loja.test is not taken here');
    const token = new URL(body.link).hash.slice(1);
    expect((await new Browser(api.baseUrl).post('/auth/setup/look', { token })).body.email).toBe('recusada@loja.test');
  });

  test('is not mailed to an address that an operator has suppressed', async () => {
    const owner = await anOwner();
    await suppress(api.operator.pool, { address: 'nunca@loja.test', reason: null });
    const { body } = await owner.post('/auth/staff', { email: 'nunca@loja.test', role: 'viewer' });
    expect([body.mail, server.delivered]).toEqual(['not_sent', []]);
  });

  test('fills nobody’s mailbox: of many to one address five a day are mailed, whoever invites', async () => {
    const owners = [await anOwner(), await anOwner()];
    const told: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      const answer = await owners[at % 2]?.post('/auth/staff', { email: 'cheia@loja.test', role: 'viewer' });
      told.push(answer?.body.mail);
    }
    expect(told).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'not_sent']);
    expect(server.delivered).toHaveLength(5);
  });

  test('is written in words that no mail program makes links of', async () => {
    const owner = await anOwner();
    const { token } = await owner
      .post('/auth/staff', { email: 'outra@loja.test', role: 'owner' })
      .then(({ body }) => ({ token: new URL(body.link).hash.slice(1) }));
    const hostile = new Browser(api.baseUrl);
    await hostile.post('/auth/setup', { token, name: 'Ganhe em https://golpe.test\nagora', password: PASSWORD });
    hostile.account = owner.account;
    server.delivered.length = 0;
    await hostile.post('/auth/staff', { email: 'alvo@loja.test', role: 'viewer' });
    const text = server.delivered[0]?.mail.text ?? '';
    expect(text).toContain('convidou você');
    expect(text).not.toContain('https://golpe.test');
  });
});

test('a link to set up anew is mailed to its person, in other words', async () => {
  const owner = await anOwner();
  const person = await newPerson(api, { accountId: owner.account ?? '', role: 'finance' });
  const { id } = (await person.get('/auth/session')).body.staff;
  const { body } = await owner.post(`/auth/staff/${id}/link`);
  expect(body.mail).toBe('sent');
  const [letter] = server.delivered;
  expect(letter?.to).toEqual([person.email]);
  expect(letter?.mail.subject).toBe('Crie de novo o seu acesso ao painel – Loja do Teste');
  expect(letter?.mail.text).not.toContain('Seu papel');
});

test('an owner is told how people sign in, and when they last did; others are told the latter', async () => {
  const owner = await anOwner();
  const viewer = await newPerson(api, { accountId: owner.account ?? '', role: 'viewer' });
  await owner.post('/auth/staff', { email: 'convidada@loja.test', role: 'support' });
  const { data } = (await owner.get('/auth/staff')).body;
  expect(data).toMatchObject([
    { email: owner.email, signs_in_by: ['password'], expires_at: null, is_set_up: true },
    { email: viewer.email, signs_in_by: ['password'] },
    { email: 'convidada@loja.test', signs_in_by: [], is_set_up: false, last_seen_at: null },
  ]);
  const [, seen, invitation] = data;
  expect(Math.abs(invitation.expires_at - Date.now() / 1_000 - 86_400)).toBeLessThan(60);
  await viewer.post('/auth/logout');
  await viewer.post('/auth/login', { email: viewer.email, password: PASSWORD });
  const told = (await viewer.get('/auth/staff')).body.data;
  expect(told.map(({ signs_in_by: by }: { signs_in_by: unknown }) => by)).toEqual([null, null, null]);
  expect(told[1].last_seen_at).toBeGreaterThanOrEqual(seen.last_seen_at);
});
