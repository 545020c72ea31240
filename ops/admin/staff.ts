import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Role, roleNames } from '../../contract/roles.ts';
import { emailAddress } from '../../contract/texts.ts';
import { findAccount } from '../../server/accounts/service.ts';
import { setUpLink } from '../../server/staff/links.ts';
import { invite, listMembers, removeMember, resetPerson } from '../../server/staff/members.ts';
import { personOfEmail } from '../../server/staff/people.ts';
import { type AddCommands, print, type WithChange, type WithDatabase } from './command.ts';

function readEmail(text: string): string {
  const { data, error } = emailAddress.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError(error?.issues[0]?.message ?? 'must be an e-mail address');
}

const emailOption = () => new Option('--email <email>', 'their e-mail address').argParser(readEmail);

interface InviteOptions {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
}

function inviteCommand(staff: Command, withChange: WithChange): void {
  staff
    .command('invite')
    .description('invite somebody to the dashboard of an account; prints a link that is good once, for 24 hours')
    .requiredOption('--account <account>', 'acct_…')
    .addOption(emailOption().makeOptionMandatory())
    .addOption(new Option('--role <role>', 'what they may do').choices(roleNames).makeOptionMandatory())
    .action(async ({ account, email, role }: InviteOptions) =>
      print(
        await withChange(async (tx, { publicUrl }) => {
          const { member, token } = await invite(tx, { accountId: account, email, role });
          return { ...member, link: setUpLink(publicUrl, token) };
        }),
      ),
    );
}

function readingCommand(staff: Command, withDatabase: WithDatabase): void {
  staff
    .command('list <account>')
    .description('list the people of an account and those who are invited, one a line')
    .action((accountId: string) =>
      withDatabase(async ({ orm, pool }) => {
        await findAccount(orm, accountId);
        (await listMembers(pool, accountId)).forEach(print);
      }),
    );
}

export const staffCommands: AddCommands = (program, withDatabase, withChange) => {
  const staff = program.command('staff').description('People of the dashboard');
  inviteCommand(staff, withChange);
  readingCommand(staff, withDatabase);
  staff
    .command('reset')
    .description('let somebody set up anew how they sign in; prints a link that is good once, for 24 hours')
    .addOption(emailOption().makeOptionMandatory())
    .action(async ({ email }: { email: string }) =>
      print(
        await withChange(async (tx, { publicUrl }) => {
          const person = await personOfEmail(tx.pool, email);
          if (person === null) throw new Error(`Nobody has the e-mail address ${email} in the dashboard`);
          return { id: person.id, email: person.email, link: setUpLink(publicUrl, await resetPerson(tx, person)) };
        }),
      ),
    );
  staff
    .command('remove <account> <staff>')
    .description('take somebody from an account, or an invitation; their open sessions lose it within a second')
    .action(async (accountId: string, id: string) => {
      await withChange((tx) => removeMember(tx, { accountId, id }));
      print({ id, account: accountId, removed: true });
    });
};
