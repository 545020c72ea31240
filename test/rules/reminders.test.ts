import { describe, expect, test } from 'vitest';
import { purposeOf } from '../../server/invoices/purpose.ts';
import { civilDate, civilMoment, inReais, isDayOver, isoDate } from '../../server/kernel/brazil.ts';
import { html } from '../../server/kernel/html.ts';
import { type Frame, layOutToBuyer } from '../../server/mail/letter.ts';
import { secondsToNextTry } from '../../server/mail/rules.ts';
import { type LetterFacts, wordsOfBill } from '../../server/mail/wording.ts';

const DUE = Date.UTC(2026, 10, 24, 15) / 1_000;
const DAY = 86_400;

const look = {
  name: 'Loja do Teste',
  taxId: null,
  supportEmail: null,
  supportPhone: null,
  color: null,
  logoDigest: null,
  logoSize: null,
};

type Told = LetterFacts & Frame;

const letter = (overrides: Partial<Told> = {}): Told => ({
  occasion: { kind: 'reminder', step: 0, daysLate: 0, isLast: false },
  liveMode: true,
  look,
  merchant: (overrides.look ?? look).name,
  logo: null,
  code: null,
  buyer: 'Maria da Silva',
  amount: 9990,
  dueAt: DUE,
  purpose: 'Plano Ouro',
  link: 'https://pay.loja.test/pay/in_1/abc',
  suspends: true,
  ...overrides,
});

const write = (told: Told) => layOutToBuyer(told, wordsOfBill(told));

const reminder = (daysLate: number, { isLast = false, ...overrides }: Partial<Told> & { isLast?: boolean } = {}) =>
  write(letter({ occasion: { kind: 'reminder', step: daysLate, daysLate, isLast }, ...overrides }));

test('a reminder says who asks how much, what for and until when, and where it is paid', () => {
  expect(reminder(-3)).toEqual({
    subject: 'Sua fatura vence em 24/11/2026 – Loja do Teste',
    text: [
      'Olá, Maria da Silva!',
      '',
      'Sua fatura de Loja do Teste vence em 3 dias, em 24/11/2026.',
      '',
      'Referente a: Plano Ouro',
      'Valor: R$ 99,90',
      'Vencimento: 24/11/2026',
      '',
      'Para pagar, acesse:',
      'https://pay.loja.test/pay/in_1/abc',
      '',
      'Se preferir, você já pode pagar agora.',
      '',
      'Se você já pagou, desconsidere esta mensagem.',
      '',
      'Loja do Teste',
    ].join('\n'),
    html: expect.stringContaining('<a href="https://pay.loja.test/pay/in_1/abc"'),
  });
});

describe('the words of a reminder', () => {
  test.each([
    [-7, 'vence em 24/11/2026', 'vence em 7 dias, em 24/11/2026.', 'Se preferir, você já pode pagar agora.'],
    [-2, 'vence em 24/11/2026', 'vence em 2 dias, em 24/11/2026.', 'Se preferir, você já pode pagar agora.'],
    [-1, 'vence amanhã, 24/11/2026', 'vence amanhã, 24/11/2026.', 'Se preferir, você já pode pagar agora.'],
    [0, 'vence hoje, 24/11/2026', 'vence hoje, 24/11/2026.', 'Pague hoje e evite o atraso.'],
    [
      1,
      'venceu em 24/11/2026',
      'venceu ontem, 24/11/2026, e ainda não identificamos o seu pagamento.',
      'Se foi um esquecimento, ainda dá tempo de pagar.',
    ],
    [
      2,
      'venceu em 24/11/2026',
      'venceu há 2 dias, em 24/11/2026, e ainda não identificamos o seu pagamento.',
      'Se foi um esquecimento, ainda dá tempo de pagar.',
    ],
    [
      3,
      'está em atraso desde 24/11/2026',
      'está em atraso há 3 dias, desde 24/11/2026.',
      'Pedimos, por gentileza, que regularize o pagamento o quanto antes.',
    ],
    [
      30,
      'está em atraso desde 24/11/2026',
      'está em atraso há 30 dias, desde 24/11/2026.',
      'Pedimos, por gentileza, que regularize o pagamento o quanto antes.',
    ],
  ])('%i days from the due date', (days, subject, lead, advice) => {
    const { subject: told, text } = reminder(days);
    expect(told).toBe(`Sua fatura ${subject} – Loja do Teste`);
    expect(text.split('\n\n')[1]).toBe(`Sua fatura de Loja do Teste ${lead}`);
    expect(text.split('\n\n')[4]).toBe(advice);
  });

  test.each([
    [true, 'Para que sua assinatura não seja suspensa, pague hoje mesmo.'],
    [false, 'Pedimos, por gentileza, que pague hoje mesmo.'],
  ])('say of the last one that it is, and of a suspension where there is one: %s', (suspends, advice) => {
    const { subject, text } = reminder(7, { isLast: true, suspends });
    expect(subject).toBe('Último lembrete: fatura vencida em 24/11/2026 – Loja do Teste');
    expect(text.split('\n\n')[1]).toBe(
      'Este é o último lembrete: sua fatura de Loja do Teste venceu em 24/11/2026 e continua em aberto.',
    );
    expect(text.split('\n\n')[4]).toBe(advice);
  });

  test('say of the last one before the due date, or on it, what they say of any', () => {
    for (const days of [-3, -1, 0]) expect(reminder(days, { isLast: true })).toEqual(reminder(days));
  });
});

test('a reminder of the sandbox says that it is a test', () => {
  const { subject, text, html: markup } = reminder(0, { liveMode: false });
  expect(subject).toBe('[Teste] Sua fatura vence hoje, 24/11/2026 – Loja do Teste');
  const note = 'Esta é uma mensagem de teste: nenhum valor será cobrado.';
  expect(text).toContain(note);
  expect(markup).toContain(note);
});

test('a name begins no header, no line and no element', () => {
  const letter = reminder(0, {
    look: { ...look, name: 'Loja\r\nBcc: todos@loja.test' },
    buyer: 'Maria\u2028<script>alert(1)</script>\u0000',
    purpose: 'Plano "Ouro"\n\n& mais',
  });
  expect(letter.subject).toBe('Sua fatura vence hoje, 24/11/2026 – Loja Bcc: todos@loja.test');
  expect(letter.text.split('\n')[0]).toBe('Olá, Maria <script>alert(1)</script>!');
  expect(letter.text).toContain('Referente a: Plano "Ouro" & mais\n');
  expect(letter.html).toContain('Olá, Maria &lt;script&gt;alert(1)&lt;/script&gt;!');
  expect(letter.html).toContain('Plano &quot;Ouro&quot; &amp; mais');
  expect(letter.html).not.toContain('<script');
});

describe('what buyers read', () => {
  test('amounts are in reais', () => {
    expect([0, 5, 9990, 123_456_789].map(inReais)).toEqual(['R$ 0,00', 'R$ 0,05', 'R$ 99,90', 'R$ 1.234.567,89']);
  });

  test('dates are those of São Paulo', () => {
    const lateEvening = Date.UTC(2026, 10, 25, 2, 59) / 1_000;
    expect(civilDate(lateEvening)).toBe('24/11/2026');
    expect(civilMoment(lateEvening)).toBe('24/11/2026 às 23:59');
    expect(isoDate(lateEvening)).toBe('2026-11-24');
    expect(civilDate(lateEvening + 60)).toBe('25/11/2026');
  });

  test('an invoice is late from the day after it is due', () => {
    const endOfDay = Date.UTC(2026, 10, 25, 3) / 1_000;
    expect([DUE - DAY, DUE, endOfDay - 1, endOfDay].map((now) => isDayOver(DUE, now))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('of many lines the first three are named', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ quantity: index + 1, description: `Aula ${index}` }));
    expect([1, 2, 3, 4, 5].map((count) => purposeOf(lines(count)))).toEqual([
      'Aula 0',
      'Aula 0, 2 × Aula 1',
      'Aula 0, 2 × Aula 1, 3 × Aula 2',
      'Aula 0, 2 × Aula 1, 3 × Aula 2 e mais 1 item',
      'Aula 0, 2 × Aula 1, 3 × Aula 2 e mais 2 itens',
    ]);
  });

  test('markup is made by its template alone', () => {
    const evil = `"><img src=x onerror='alert(1)'>&`;
    expect(html`<p title="${evil}">${[html`<b>${evil}</b>`, html`<i>${1}</i>`]}${null}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;">' +
        '<b>&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;</b>\n<i>1</i></p>',
    );
  });
});

test('a mail is tried for three days, with growing pauses', () => {
  const pauses: number[] = [];
  for (let tries = 1; ; tries += 1) {
    const pause = secondsToNextTry(tries);
    if (pause === null) break;
    pauses.push(pause);
  }
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(3 * DAY);
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect(pauses).toHaveLength(9);
  expect(secondsToNextTry(11)).toBeNull();
});
