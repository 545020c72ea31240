import type { ReminderDay } from '../invoices/rules.ts';
import { civilDate, inReais } from '../kernel/brazil.ts';
import { type Html, html } from '../kernel/html.ts';
import type { Timestamp } from '../kernel/time.ts';

/** What a reminder tells of an invoice. */
export interface Reminder {
  readonly step: ReminderDay;
  readonly liveMode: boolean;
  readonly merchant: string;
  readonly buyer: string;
  /** What is left to pay. */
  readonly amount: number;
  readonly dueAt: Timestamp;
  readonly purpose: string;
  readonly link: string;
  readonly isOfSubscription: boolean;
}

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Names end up in headers and in lines of their own: none may begin another. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

interface Told {
  readonly merchant: string;
  readonly due: string;
  readonly isOfSubscription: boolean;
}

interface Wording {
  readonly subject: (told: Told) => string;
  readonly lead: (told: Told) => string;
  readonly advice: (told: Told) => string;
}

const wordings: Readonly<Record<ReminderDay, Wording>> = {
  [-3]: {
    subject: ({ due }) => `Sua fatura vence em ${due}`,
    lead: ({ merchant, due }) => `Sua fatura de ${merchant} vence em ${due}.`,
    advice: () => 'Se preferir, você já pode pagar agora.',
  },
  0: {
    subject: ({ due }) => `Sua fatura vence hoje, ${due}`,
    lead: ({ merchant, due }) => `Sua fatura de ${merchant} vence hoje, ${due}.`,
    advice: () => 'Pague hoje e evite o atraso.',
  },
  1: {
    subject: ({ due }) => `Sua fatura venceu em ${due}`,
    lead: ({ merchant, due }) =>
      `Sua fatura de ${merchant} venceu em ${due} e ainda não identificamos o seu pagamento.`,
    advice: () => 'Se foi um esquecimento, ainda dá tempo de pagar.',
  },
  3: {
    subject: ({ due }) => `Sua fatura está em atraso desde ${due}`,
    lead: ({ merchant, due }) => `Sua fatura de ${merchant} está em atraso desde ${due}.`,
    advice: () => 'Pedimos, por gentileza, que regularize o pagamento o quanto antes.',
  },
  7: {
    subject: ({ due }) => `Último lembrete: fatura vencida em ${due}`,
    lead: ({ merchant, due }) =>
      `Este é o último lembrete: sua fatura de ${merchant} venceu em ${due} e continua em aberto.`,
    advice: ({ isOfSubscription }) =>
      isOfSubscription
        ? 'Para que sua assinatura não seja suspensa, pague hoje mesmo.'
        : 'Pedimos, por gentileza, que pague hoje mesmo.',
  },
};

const TEST_MARK = '[Teste] ';
const TEST_NOTE = 'Esta é uma mensagem de teste: nenhum valor será cobrado.';
const IF_PAID = 'Se você já pagou, desconsidere esta mensagem.';

interface Parts {
  readonly subject: string;
  readonly greeting: string;
  readonly lead: string;
  readonly advice: string;
  readonly facts: readonly [name: string, value: string][];
  readonly link: string;
  readonly notes: readonly string[];
  readonly merchant: string;
}

function partsOf(reminder: Reminder): Parts {
  const merchant = oneLine(reminder.merchant);
  const due = civilDate(reminder.dueAt);
  const told = { merchant, due, isOfSubscription: reminder.isOfSubscription };
  const { subject, lead, advice } = wordings[reminder.step];
  return {
    subject: `${reminder.liveMode ? '' : TEST_MARK}${subject(told)} – ${merchant}`,
    greeting: `Olá, ${oneLine(reminder.buyer)}!`,
    lead: lead(told),
    advice: advice(told),
    facts: [
      ['Referente a', oneLine(reminder.purpose)],
      ['Valor', inReais(reminder.amount)],
      ['Vencimento', due],
    ],
    link: reminder.link,
    notes: [IF_PAID, ...(reminder.liveMode ? [] : [TEST_NOTE])],
    merchant,
  };
}

const asText = ({ greeting, lead, advice, facts, link, notes, merchant }: Parts): string =>
  [
    greeting,
    lead,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    advice,
    `Para pagar, acesse:\n${link}`,
    ...notes,
    merchant,
  ].join('\n\n');

const BODY = 'margin:0;padding:24px;font:16px/1.5 Helvetica,Arial,sans-serif;color:#1b1b1b;background:#ffffff';
const BUTTON =
  'display:inline-block;padding:12px 24px;border-radius:6px;background:#0b5d3b;color:#ffffff;text-decoration:none';

const paragraph = (text: string): Html => html`<p>${text}</p>`;

function asHtml({ subject, greeting, lead, advice, facts, link, notes, merchant }: Parts): string {
  const rows = facts.map(
    ([name, value]) =>
      html`<tr><td style="padding:2px 16px 2px 0;color:#555555">${name}</td><td><strong>${value}</strong></td></tr>`,
  );
  return html`<!doctype html>
<html lang="pt-BR"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="${BODY}"><div style="max-width:560px">
${[greeting, lead].map(paragraph)}
<table role="presentation" style="border-collapse:collapse">
${rows}
</table>
${paragraph(advice)}
<p><a href="${link}" style="${BUTTON}">Pagar agora</a></p>
<p style="font-size:14px;color:#555555">Se o botão não funcionar, copie este endereço no navegador:<br>${link}</p>
${[...notes, merchant].map(paragraph)}
</div></body></html>
`.text;
}

/** Writes a reminder in Portuguese, as plain text and as HTML. */
export function writeReminder(reminder: Reminder): Letter {
  const parts = partsOf(reminder);
  return { subject: parts.subject, text: asText(parts), html: asHtml(parts) };
}
