import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import { beforeAll, expect, test } from 'vitest';
import { installDebian } from '../support/debian.ts';
import { everyLetter } from '../support/letters.ts';

const SPAMASSASSIN = '/usr/bin/spamassassin';
const INSTALL_MS = 600_000;
const JUDGED_MS = 120_000;

/** From this on a mail is spam, as its packages of Debian have it. */
const SPAM = 5;

beforeAll(() => {
  if (!existsSync(SPAMASSASSIN)) installDebian('spamassassin');
}, INSTALL_MS);

/** A letter as it goes over the wire. */
async function messageOf(
  name: string,
  { subject, text, html }: { subject: string; text: string; html: string },
): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { message } = await transport.sendMail({
    from: { name: 'Academia Boa Forma', address: 'cobranca@boaforma.example' },
    to: { name: 'Maria da Silva', address: 'maria@example.com' },
    replyTo: 'ajuda@boaforma.example',
    messageId: `<${name}@boaforma.example>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...{ subject, text, html },
  });
  return Buffer.isBuffer(message)
    ? message
    : Buffer.from(await Array.fromAsync(message).then((parts) => parts.join('')));
}

interface Verdict {
  readonly name: string;
  readonly points: number;
  /** What gave them. */
  readonly rules: string;
}

const FIRST_LINE = 'From fatura Thu Jan  1 00:00:00 1970\n';
const asMbox = (message: Buffer): string =>
  FIRST_LINE +
  message
    .toString('utf8')
    .replaceAll('\r\n', '\n')
    .replaceAll(/^From /gm, '>From ');

function verdictOf(judged: string): Verdict {
  const [, name = 'none'] = /^Message-ID: <(\S+)@boaforma\.example>/im.exec(judged) ?? [];
  const [, points = 'NaN', rules = ''] =
    /^X-Spam-Status: \w+, score=(-?[\d.]+) required=[\d.]+\s+tests=([\s\S]*?)autolearn=/m.exec(judged) ?? [];
  return { name, points: Number(points), rules: rules.replaceAll(/\s+/g, '') };
}

/** What SpamAssassin says of mails by their content alone, in no order; its start takes longer than any of them. */
function judge(messages: readonly Buffer[]): Verdict[] {
  const input = messages.map(asMbox).join('\n');
  const { stdout } = spawnSync(SPAMASSASSIN, ['--local', '--test-mode', '--mbox'], { input, encoding: 'utf8' });
  return stdout.split(FIRST_LINE).slice(1).map(verdictOf);
}

const UNWANTED = 'what-nobody-wants';
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const letters = [[UNWANTED, { subject: 'Teste', text: GTUBE, html: `<p>${GTUBE}</p>` }], ...everyLetter] as const;

test(
  'no letter is spam to SpamAssassin, by far, which knows what nobody wants',
  async () => {
    const verdicts = judge(await Promise.all(letters.map(([name, letter]) => messageOf(name, letter))));
    expect(verdicts.map(({ name }) => name).toSorted()).toEqual(letters.map(([name]) => name).toSorted());
    expect(verdicts.filter(({ points }) => points >= SPAM).map(({ name }) => name)).toEqual([UNWANTED]);
    expect(verdicts.filter(({ name, points }) => name !== UNWANTED && !(points < SPAM / 2))).toEqual([]);
  },
  JUDGED_MS,
);
