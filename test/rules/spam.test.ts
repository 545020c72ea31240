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
async function messageOf({ subject, text, html }: { subject: string; text: string; html: string }): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { message } = await transport.sendMail({
    from: { name: 'Academia Boa Forma', address: 'cobranca@boaforma.example' },
    to: { name: 'Maria da Silva', address: 'maria@example.com' },
    replyTo: 'ajuda@boaforma.example',
    messageId: '<mail_01kaj4w2n8e9r7t5v3x1z0q6d4@boaforma.example>',
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...{ subject, text, html },
  });
  return Buffer.isBuffer(message)
    ? message
    : Buffer.from(await Array.fromAsync(message).then((parts) => parts.join('')));
}

interface Verdict {
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

/** What SpamAssassin says of mails by their content alone; its start takes longer than any of them. */
function judge(messages: readonly Buffer[]): Verdict[] {
  const input = messages.map(asMbox).join('\n');
  const { stdout } = spawnSync(SPAMASSASSIN, ['--local', '--test-mode', '--mbox'], { input, encoding: 'utf8' });
  return [
    ...stdout.matchAll(/^X-Spam-Status: \w+, score=(-?[\d.]+) required=[\d.]+\s+tests=([\s\S]*?)autolearn=/gm),
  ].map(([, points, rules = '']) => ({ points: Number(points), rules: rules.replaceAll(/\s+/g, '') }));
}

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const letters = [
  ['what nobody wants', { subject: 'Teste', text: GTUBE, html: `<p>${GTUBE}</p>` }],
  ...everyLetter,
] as const;

test(
  'no letter is spam to SpamAssassin, by far, which knows what nobody wants',
  async () => {
    const messages = await Promise.all(letters.map(([, letter]) => messageOf(letter)));
    const verdicts = judge(messages);
    expect(verdicts).toHaveLength(letters.length);
    const [unwanted, ...ours] = letters.map(([name], index) => ({ name, ...verdicts[index] }));
    expect(unwanted?.points).toBeGreaterThanOrEqual(SPAM);
    expect(ours.filter(({ points = Number.NaN }) => !(points < SPAM / 2))).toEqual([]);
  },
  JUDGED_MS,
);
