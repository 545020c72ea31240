import type { Command } from 'commander';
import { findAccount } from '../../server/accounts/service.ts';
import type { LoggedChange } from '../../server/audit-log/audit-log.ts';
import { mailOptions } from '../../server/compose.ts';
import type { Config } from '../../server/config.ts';
import type { Database } from '../../server/db/database.ts';
import { run, statement } from '../../server/db/statement.ts';
import { newId } from '../../server/kernel/ids.ts';
import { clip, oneLine } from '../../server/kernel/text.ts';
import { createMailer } from '../../server/mail/mailer.ts';
import { listSuppressed, REASON_MAX, readAddress, suppress, unsuppress } from '../../server/mail/suppression.ts';
import { integerWithin, print, readArgument, type WithChange, type WithDatabase } from './command.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;

const findInvoice = statement<{ account: string; liveMode: boolean }>(
  'admin_find_invoice',
  'SELECT account_id AS account, live_mode AS "liveMode" FROM invoice WHERE id = :invoice',
);

/** A row is printed as it is. */
const findMails = statement<Record<string, unknown>>(
  'admin_find_mails',
  `SELECT m.id, m.account_id AS account, m.live_mode, m.invoice_id AS invoice, m.endpoint_id AS endpoint, m.occasion, m.step, m.created, m.status, m.recipient,
     m.recipient_name, m.subject, m.body_text AS text, m.message_id, m.attempts,
     CASE WHEN m.status = 'queued' THEN m.next_try_at END AS next_try_at, m.sent_at, m.last_error
   FROM mail m WHERE (:account::text IS NULL OR m.account_id = :account) AND (:invoice::text IS NULL OR m.invoice_id = :invoice)
   ORDER BY m.id DESC LIMIT :limit`,
);

type Owned = Pick<LoggedChange, 'account' | 'liveMode' | 'object'>;

/** Of the whole service. */
const OF_NONE: Owned = { account: null, liveMode: null, object: null };

type ListOptions = { account?: string; invoice?: string; limit: number };

/** Whose e-mails are asked for. A mistyped id is told, or its list would just be empty. */
async function askedFor({ orm, pool }: Database, { account, invoice }: ListOptions): Promise<Owned> {
  if (account !== undefined) await findAccount(orm, account);
  if (invoice === undefined) return account === undefined ? OF_NONE : { ...OF_NONE, account, object: account };
  const [found] = await run(pool, findInvoice, { invoice });
  if (found === undefined) throw new Error(`No such invoice: ${invoice}`);
  return { ...found, object: invoice };
}

const releaseMails = statement<{ id: string }>(
  'admin_release_mails',
  `UPDATE mail m SET status = 'queued', next_try_at = now(), last_error = NULL
   FROM (SELECT id FROM mail WHERE account_id = :account AND status = 'held' ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED) held
   WHERE m.id = held.id RETURNING m.id`,
);

const address = (text: string): string => readArgument(text, readAddress);

function suppressionCommands(mail: Command, withDatabase: WithDatabase, withChange: WithChange): void {
  mail
    .command('suppress')
    .description('send nothing to an address any more, as after a bounce or a complaint')
    .argument('<address>', 'the e-mail address', address)
    .option('--reason <text>', `why, in at most ${REASON_MAX} characters`, (text: string) =>
      clip(oneLine(text), REASON_MAX),
    )
    .action((to: string, { reason = null }: { reason?: string | null }) =>
      withChange(async (tx) => {
        await suppress(tx.pool, { address: to, reason });
        await tx.log({ action: 'mail.suppressed', ...OF_NONE, before: null, after: { email: to } });
        print({ address: to, suppressed: true });
      }),
    );
  mail
    .command('unsuppress')
    .description('send to an address again')
    .argument('<address>', 'the e-mail address', address)
    .action((to: string) =>
      withChange(async (tx) => {
        if (!(await unsuppress(tx.pool, to))) throw new Error(`Not suppressed: ${to}`);
        await tx.log({ action: 'mail.unsuppressed', ...OF_NONE, before: { email: to }, after: null });
        print({ address: to, suppressed: false });
      }),
    );
  mail
    .command('suppressed')
    .description('list the addresses that nothing is sent to, one a line')
    .option('--after <address>', 'those behind an address', '')
    .option('--limit <n>', 'at most so many', integerWithin({ min: 1, max: LIMIT_MAX }), LIMIT_DEFAULT)
    .action((page: { after: string; limit: number }) =>
      withDatabase(async ({ pool }) => {
        const asked = { before: null, after: { limit: page.limit } };
        await withChange((tx) => tx.log({ action: 'mail.suppressions_listed', ...OF_NONE, ...asked }));
        (await listSuppressed(pool, page)).forEach(print);
      }),
    );
}

function releaseCommand(mail: Command, withChange: WithChange): void {
  mail
    .command('release')
    .description(
      'queue e-mails again that are held since a limit of the day was used up; the limits of today hold for them',
    )
    .requiredOption('--account <account>', 'those of an account')
    .option('--limit <n>', 'at most so many, the oldest first', integerWithin({ min: 1, max: LIMIT_MAX }), LIMIT_MAX)
    .action(({ account, limit }: { account: string; limit: number }) =>
      withChange(async (tx) => {
        const released = (await run(tx.pool, releaseMails, { account, limit })).length;
        const of = { account, liveMode: null, object: account };
        await tx.log({ action: 'mail.released', ...of, before: null, after: { mails: released } });
        print({ account, released });
      }),
    );
}

function testCommand(mail: Command, withDatabase: WithDatabase): void {
  mail
    .command('test')
    .description('send a letter by SMTP_URL at once, and print what the mail server answers; it is kept nowhere')
    .requiredOption('--to <address>', 'who gets it', address)
    .action(({ to }: { to: string }) => withDatabase((_database, config) => sendTest(config, to)));
}

async function sendTest(config: Config, to: string): Promise<void> {
  const options = mailOptions(config);
  if (options === undefined) throw new Error('SMTP_URL is not set: e-mails are kept and not sent');
  const text = `\`admin mail test\` of ${config.publicUrl} sent this letter. The mail server takes what the service sends.`;
  const mailer = createMailer(options);
  try {
    const outcome = await mailer.send({
      messageId: `<${newId('mail')}@${new URL(config.publicUrl).hostname}>`,
      to: { name: null, address: to },
      replyTo: null,
      subject: 'A test of Fatura',
      text,
      html: `<p>${text}</p>`,
    });
    if (outcome.kind !== 'accepted') throw new Error(`The mail server did not take it: ${outcome.why}`);
    print({ to, from: options.from.address, said: outcome.said });
  } finally {
    mailer.close();
  }
}

export function mailCommands(program: Command, withDatabase: WithDatabase, withChange: WithChange): void {
  const mail = program.command('mail').description('e-mails to buyers and merchants');
  suppressionCommands(mail, withDatabase, withChange);
  releaseCommand(mail, withChange);
  testCommand(mail, withDatabase);
  mail
    .command('list')
    .description('list e-mails with their texts, the newest first, one a line')
    .option('--account <account>', 'those of an account')
    .option('--invoice <invoice>', 'those about an invoice')
    .option('--limit <n>', 'at most so many', integerWithin({ min: 1, max: LIMIT_MAX }), LIMIT_DEFAULT)
    .action((options: ListOptions) =>
      withDatabase(async (database) => {
        const of = await askedFor(database, options);
        const { account = null, invoice = null, limit } = options;
        // First: letters tell of buyers, and what was printed is not taken back.
        await withChange((tx) => tx.log({ action: 'mail.listed', ...of, before: null, after: { limit } }));
        const rows = await run(database.pool, findMails, { account, invoice, limit });
        rows.forEach(print);
      }),
    );
}
