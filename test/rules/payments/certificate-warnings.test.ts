import { describe, expect, test } from 'vitest';
import { DAY } from '../../../server/kernel/time.ts';
import { writeOfCertificate } from '../../../server/mail/acquirer-certificate.ts';
import { warningDue } from '../../../server/payments/live/rules.ts';

const ENDS_AT = 1_800_000_000;

test.each([
  [30 * DAY + 1, null, null],
  [30 * DAY, null, 30],
  [30 * DAY, 30, null],
  [8 * DAY, 30, null],
  [7 * DAY, 30, 7],
  [7 * DAY, 7, null],
  // What an outage let pass is not made up for: the newest says it all.
  [20 * DAY, null, 30],
  [6 * DAY, null, 7],
  [DAY - 1, null, 1],
  [DAY - 1, 30, 1],
  [DAY, 7, 1],
  [1, 1, null],
  [0, 7, null],
  [-DAY, null, null],
])('%d seconds before its end, told at %s days, an account is told at %s days', (left, warned, due) => {
  expect(warningDue({ endsAt: ENDS_AT, warned }, ENDS_AT - left)).toBe(due);
});

describe('the letter', () => {
  const told = {
    psp: 'Efí (Gerencianet)',
    serial: '0A1B',
    endsAt: ENDS_AT,
    accountId: 'acct_x',
    merchant: 'Loja\nNova',
  };
  const writtenBefore = (left: number) => writeOfCertificate({ ...told, now: ENDS_AT - left });

  test.each([
    [30 * DAY, 'em 30 dias'],
    [30 * DAY - 1_800, 'em 30 dias'],
    [12 * DAY, 'em 12 dias'],
    [DAY + 1, 'em 2 dias'],
    [DAY, 'em menos de 24 horas'],
    [60, 'em menos de 24 horas'],
  ])('says how long it really lasts: %d seconds are %s', (left, words) => {
    const { subject, text } = writtenBefore(left);
    expect(subject).toBe(`O certificado do seu PIX vence ${words} – Loja Nova`);
    expect(text).toContain(`chegam ao seu PSP, vence ${words}.`);
  });

  test('says which certificate ends when, and what to do', () => {
    expect(writtenBefore(7 * DAY).text).toBe(`Olá, Loja Nova!

O certificado abaixo, com que suas cobranças por PIX chegam ao seu PSP, vence em 7 dias. Depois disso o PSP recusa a conexão: não há cobrança nem devolução por PIX até que ele seja trocado.

PSP: Efí (Gerencianet)
Vence em: 15/01/2027 às 05:00 (horário de Brasília)
Número de série: 0A1B
Conta: acct_x

Peça agora um certificado novo ao PSP, nos canais dele: alguns levam dias para emitir. Instale-o antes do vencimento; a troca não interrompe as cobranças.

Quem opera a Fatura instala o certificado novo com o comando admin acquirer set acct_x --live pix e confere com admin acquirer test acct_x --live pix.

Não envie por e-mail a chave privada nem o segredo do cliente. Se o certificado já foi trocado, desconsidere esta mensagem.

Fatura`);
  });
});
