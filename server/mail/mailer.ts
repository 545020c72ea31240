import { createTransport, type NodemailerError } from 'nodemailer';
import { namesLoopback } from '../kernel/loopback.ts';
import { clip } from '../kernel/text.ts';
import { SECOND_MS } from '../kernel/time.ts';

/** Who e-mails come from. */
export interface MailAddress {
  readonly name: string | null;
  readonly address: string;
}

/** A file that goes with a mail. */
export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** Makes the file of an invoice's receipt; null: it has none. */
export type ReceiptFiles = (invoiceId: string) => Promise<Attachment | null>;

export interface OutgoingMail {
  readonly messageId: string;
  readonly to: MailAddress;
  /** What the sender is called; absent: as the service is. */
  readonly fromName?: string | null;
  /** Where its reader ends mails of its kind by one click (RFC 8058); absent: it has no such place. */
  readonly unsubscribe?: string | null;
  readonly attachments?: readonly Attachment[];
  /** Where answers go; null: to the sender. */
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** `refused`: the mail server will never take this mail; `failed`: it may later. */
export type MailOutcome =
  | {
      readonly kind: 'accepted';
      /** The answer of the mail server. */
      readonly said: string;
    }
  | { readonly kind: 'refused'; readonly why: string }
  | {
      readonly kind: 'failed';
      readonly why: string;
      /** Whether the fault is not of this mail: the server is away, or takes none from us. */
      readonly isOfServer: boolean;
    };

/** The way out for e-mails. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<MailOutcome>;
  /** Connects and logs in, and sends nothing; throws what the server answers. */
  verify(): Promise<void>;
  close(): void;
}

/** Connections kept to the mail server. */
export const MAIL_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
const SILENCE_TIMEOUT_MS = 20 * SECOND_MS;
/** A mail that is not taken within this time is given up for now, whatever the server trickles. */
export const SEND_TIMEOUT_SECONDS = 30;
/** A connection that the server closed while it idled is replaced once; other repeats are the queue's. */
const REQUEUES_MAX = 1;

const WHY_MAX = 500;
const UNSTORABLE = /\p{Cc}+/gu;

/** What a mail server says, in one line. */
const wordsOf = (text: string): string => clip(text.replace(UNSTORABLE, ' '), WHY_MAX);

/** A refusal of the sender or of our login bears on every mail and is an operator's to mend: it is tried again. */
function outcomeOf(error: NodemailerError): MailOutcome {
  const why = wordsOf(error.message);
  const isOfMail = (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && error.command !== 'MAIL FROM';
  if (!isOfMail) return { kind: 'failed', why, isOfServer: true };
  // An address that cannot be written into the protocol never gets as far as the server.
  const isUnsendable = error.command === 'API';
  return error.permanent === true || isUnsendable
    ? { kind: 'refused', why }
    : { kind: 'failed', why, isOfServer: false };
}

/** Mail programs show a button of their own for it. */
const headersOf = (url: string) => ({
  headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
});

const addressed = ({ name, address }: MailAddress) => (name === null ? address : { name, address });

/** Sends through the SMTP server of `SMTP_URL`, over connections that are kept. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: MailAddress }): Mailer {
  const transport = createTransport(
    {
      url: smtpUrl,
      pool: true,
      // Letters and the password go to another machine behind STARTTLS or not at all.
      requireTLS: !namesLoopback(smtpUrl),
      maxConnections: MAIL_CONNECTIONS,
      maxRequeues: REQUEUES_MAX,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // Away notices and the like are not sent to a program (RFC 3834).
    { from: addressed(from), headers: { 'Auto-Submitted': 'auto-generated' } },
  );
  return {
    async send({ messageId, to, replyTo, fromName = null, unsubscribe = null, attachments = [], subject, text, html }) {
      const signal = AbortSignal.timeout(SEND_TIMEOUT_SECONDS * SECOND_MS);
      try {
        const answers = replyTo === null ? {} : { replyTo };
        const sender = fromName === null ? {} : { from: addressed({ ...from, name: fromName }) };
        const files = attachments.map((file) => ({ ...file, content: Buffer.from(file.content) }));
        const headers = unsubscribe === null ? {} : headersOf(unsubscribe);
        const content = { subject, text, html, attachments: files };
        const { response } = await transport.sendMail({
          messageId,
          to: addressed(to),
          ...sender,
          ...answers,
          ...headers,
          ...content,
          signal,
        });
        return { kind: 'accepted', said: wordsOf(response) };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return outcomeOf(error);
      }
    },
    verify: async () => void (await transport.verify()),
    close: () => transport.close(),
  };
}
