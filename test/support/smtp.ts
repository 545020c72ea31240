import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A reply of the mail server other than that it takes the mail. */
export interface Refusal {
  readonly at: 'sender' | 'recipient' | 'content';
  /** Of SMTP: 4xx for now, 5xx for good. */
  readonly code: number;
}

export interface Delivered {
  readonly from: string;
  readonly to: string[];
  /** As another program than ours reads it. */
  readonly mail: Email;
}

/** A real mail server that keeps what it is given. */
export interface MailServer {
  readonly url: string;
  readonly delivered: Delivered[];
  /** Connections made to it. */
  connections: number;
  /** Set anew by a test; it may wait. Null: the mail is taken. */
  answer: (recipient: string) => Promise<Refusal | null> | Refusal | null;
  stop(): Promise<void>;
}

type Callback = (error?: Error | null) => void;

export async function startMailServer(): Promise<MailServer> {
  /** Answers the step that a refusal is for. */
  const reply = (step: Refusal['at'], recipient: string, callback: Callback): void => {
    Promise.resolve(receiver.answer(recipient)).then((refusal) => {
      if (refusal?.at !== step) return callback();
      const error = new Error(`${recipient} is not taken here`);
      callback(Object.assign(error, { responseCode: refusal.code }));
    }, callback);
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onConnect(_session, callback) {
      receiver.connections += 1;
      callback();
    },
    onAuth: (_login, _session, callback) => callback(new Error('nobody logs in here')),
    onMailFrom: ({ address }, _session, callback) => reply('sender', address, callback),
    onRcptTo: ({ address }, _session, callback) => reply('recipient', address, callback),
    async onData(stream, { envelope }, callback) {
      const mail = await PostalMime.parse(await buffer(stream));
      const to = envelope.rcptTo.map(({ address }) => address);
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      reply('content', to[0] ?? '', (error) => {
        if (error == null) receiver.delivered.push({ from, to, mail });
        callback(error);
      });
    },
  });
  server.on('error', () => {}); // a client that goes away in the middle
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  const receiver: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    delivered: [],
    connections: 0,
    answer: () => null,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return receiver;
}
