import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Frame, layOutToBuyer } from '../../server/mail/letter.ts';
import { type LetterFacts, wordsOfBill } from '../../server/mail/wording.ts';
import { everyLetter } from '../support/letters.ts';
import { BROWSER_MS, openBrowser } from './browser.ts';

const { SCREENSHOTS: folder } = process.env;

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  browser = await openBrowser();
}, BROWSER_MS);
afterAll(() => browser.close());

/** Ends a text, an attribute, a comment or an element of every format that a letter may be read as. */
const HOSTILE = `Pães & Cia <Matriz> "'\`]]>--></title></style><img src=x onerror=alert(1)><a href=//x>y</a>`;

const DUE = Date.UTC(2026, 10, 24, 15) / 1_000;

type Told = LetterFacts & Frame;

const told: Told = {
  occasion: { kind: 'reminder', step: 0, daysLate: 0, isLast: false },
  liveMode: false,
  merchant: HOSTILE,
  sentence: HOSTILE,
  look: {
    name: HOSTILE,
    taxId: null,
    supportEmail: 'ajuda@loja.test',
    supportPhone: null,
    color: null,
    logoDigest: null,
    logoSize: null,
  },
  logo: null,
  code: { copyPaste: HOSTILE, expiresAt: DUE },
  buyer: HOSTILE,
  amount: 9_990,
  dueAt: DUE,
  purpose: HOSTILE,
  link: 'https://pay.loja.test/pay/in_1/abc',
  suspends: true,
};

const plain: Told = {
  ...told,
  merchant: 'Loja',
  sentence: 'Obrigado',
  look: { ...told.look, name: 'Loja' },
  code: { copyPaste: '000201', expiresAt: DUE },
  buyer: 'Ana',
  purpose: 'Plano',
};

const occasions: LetterFacts['occasion'][] = [
  { kind: 'reminder', step: 0, daysLate: 0, isLast: false },
  { kind: 'sent' },
  { kind: 'declined', last4: '0002', reason: 'issuer_declined', againAt: DUE },
];

test.each(occasions)('what others wrote into a letter is text in a browser: %o', async (occasion) => {
  const page = await browser.newPage();
  const elementsOf = async (letter: Told) => {
    await page.setContent(layOutToBuyer(letter, wordsOfBill({ ...letter, occasion })).html);
    return page.evaluate(() => [...document.querySelectorAll('*')].map(({ tagName }) => tagName));
  };
  const whole = await elementsOf(plain);
  expect(await elementsOf(told)).toEqual(whole);
  const shown = (await page.locator('body').textContent())?.replaceAll('\u200b', '');
  for (const part of ['Pães & Cia <Matriz>', '<img src=x onerror=alert(1)>']) expect(shown).toContain(part);
  await page.close();
});

test.each(everyLetter)(
  'the letter %s is read on a phone without scrolling sideways, in a few words of its own',
  async (kind, letter) => {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
    const page = await context.newPage();
    await page.setContent(letter.html);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    const violations = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa']).analyze();
    expect(violations.violations).toEqual([]);
    expect(letter.subject.length).toBeLessThanOrEqual(78);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/letter-${kind}.png`, fullPage: true });
    await context.close();
  },
);

test('no two letters have one subject', () => {
  const subjects = everyLetter.map(([, { subject }]) => subject);
  expect(new Set(subjects).size).toBe(subjects.length);
});
