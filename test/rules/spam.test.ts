import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import { beforeAll, expect, test } from 'vitest';
import { installDebian } from '../support/debian.ts';
import { everyLetter } from '../support/letters.ts';

const SPAMASSASSIN = '/usr/bin/spamassassin';
const INSTALL_MS = 600_000;

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

/** What SpamAssassin says of a mail by its content alone: its points, and the rules that gave them. */
function judge(message: Buffer): { points: number; rules: string } {
  const { stdout } = spawnSync(SPAMASSASSIN, ['--local', '--test-mode'], { input: message, encoding: 'utf8' });
  const [, points = 'NaN', rules = ''] =
    /X-Spam-Status: \w+, score=(-?[\d.]+) required=[\d.]+ tests=([\s\S]*?)autolearn=/.exec(stdout) ?? [];
  return { points: Number(points), rules: rules.replaceAll(/\s+/g, '') };
}

test('a filter tells what nobody wants from what a buyer waits for', async () => {
  const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
  const { points } = judge(await messageOf({ subject: 'Teste', text: gtube, html: `<p>${gtube}</p>` }));
  expect(points).toBeGreaterThanOrEqual(SPAM);
});

test.each(everyLetter)('the letter %s is no spam to SpamAssassin, by far', async (_, letter) => {
  const { points, rules } = judge(await messageOf(letter));
  expect({ rules, isFar: points < SPAM / 2 }).toEqual({ rules, isFar: true });
});
