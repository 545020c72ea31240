import type { Account, AccountUpdate } from '@fatura/sdk';

type MailSettings = Account['mail_settings'];
export type Occasions = MailSettings['occasions'];

/** How buyers are to be written to, as it is typed. */
export interface MailDraft {
  readonly sender: string;
  readonly sentence: string;
  readonly attach: boolean;
  readonly occasions: Occasions;
}

export const draftOfMails = (settings: MailSettings): MailDraft => ({
  sender: settings.sender_name ?? '',
  sentence: settings.sentence ?? '',
  attach: settings.attach_receipt,
  occasions: settings.occasions,
});

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Only what was changed is sent. */
export function mailChanges(settings: MailSettings, draft: MailDraft): AccountUpdate {
  const [sender, sentence] = [orNull(draft.sender), orNull(draft.sentence)];
  const names = Object.keys(settings.occasions) as (keyof Occasions)[]; // an object's keys are widened to texts
  const switched = names.filter((name) => draft.occasions[name] !== settings.occasions[name]);
  return {
    mail_settings: {
      ...(sender !== settings.sender_name && { sender_name: sender }),
      ...(sentence !== settings.sentence && { sentence }),
      ...(draft.attach !== settings.attach_receipt && { attach_receipt: draft.attach }),
      ...(switched.length > 0 && {
        occasions: Object.fromEntries(switched.map((name) => [name, draft.occasions[name]])),
      }),
    },
  };
}
