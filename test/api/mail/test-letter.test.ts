import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminHere } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { type MailServer, startMailServer } from '../../support/smtp.ts';

let api: TestApi;
let mailServer: MailServer;
beforeAll(async () => {
  api = await startApi();
  mailServer = await startMailServer();
});
afterAll(async () => {
  await mailServer.stop();
  await api.stop();
});

const sendTest = (settings: Record<string, string>) =>
  adminHere(api, ['mail', 'test', '--to', 'ana@loja.test'], {
    PUBLIC_URL: 'https://cobranca.loja.test',
    MAIL_FROM: 'Loja <conta@loja.test>',
    ...settings,
  });

test('a letter of an operator tries the mail server, which is quoted; it stands in no list of e-mails', async () => {
  const printed = await sendTest({ SMTP_URL: mailServer.url });
  expect(printed).toEqual([{ to: 'ana@loja.test', from: 'conta@loja.test', said: expect.stringMatching(/^250 /) }]);
  expect(mailServer.delivered).toEqual([
    {
      from: 'conta@loja.test',
      to: ['ana@loja.test'],
      mail: expect.objectContaining({
        subject: 'A test of Fatura',
        messageId: expect.stringMatching(/^<mail_\w+@cobranca\.loja\.test>$/),
        text: expect.stringContaining('`admin mail test` of https://cobranca.loja.test sent this letter'),
      }),
    },
  ]);
  expect((await api.composition.deps.pool.query('SELECT id FROM mail')).rows).toEqual([]);
});

test('a server that takes no letter is quoted, and without one the setting is named', async () => {
  mailServer.answer = () => ({ at: 'recipient', code: 550 });
  await expect(sendTest({ SMTP_URL: mailServer.url })).rejects.toThrow(
    /^The mail server did not take it: .*550 ana@loja\.test is not taken here/,
  );
  await expect(sendTest({})).rejects.toThrow('SMTP_URL is not set: e-mails are kept and not sent');
});
