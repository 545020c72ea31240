import type { MailOccasion, SwitchedOccasion } from '../../contract/mails.ts';
import { ACCOUNT_LOOK } from '../accounts/look.ts';
import { mine, statement } from '../db/statement.ts';
import type { AccountMail, PageLook } from '../kernel/account.ts';
import type { Tx } from '../unit-of-work/tx.ts';

/** How an account writes to its buyers: what they see of it, and what it says of letters. */
export interface LetterSender {
  readonly look: PageLook;
  readonly settings: AccountMail;
}

const findSender = statement<LetterSender>(
  'read_sender_of_letters',
  `SELECT ${ACCOUNT_LOOK}, look.mail_settings AS settings FROM account_look look WHERE ${mine('look')}`,
);

export const senderIn = (tx: Tx): Promise<LetterSender> =>
  tx.once('sender', async () => {
    const [sender] = await tx.query(findSender, {});
    if (sender === undefined) throw new Error('the account is gone');
    return sender;
  });

/** Whether the account has letters of an occasion written; all others than it may switch off always are. */
export const isWritten = ({ off = [] }: AccountMail, occasion: MailOccasion): boolean =>
  !off.includes(occasion as SwitchedOccasion); // what is no such occasion is in no such list
