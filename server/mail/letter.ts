import { phoneInWords } from '../customers/phone.ts';
import { taxIdInWords } from '../customers/tax-id.ts';
import { type AccountLook, COLOR_DEFAULT } from '../kernel/account.ts';
import { type Html, html } from '../kernel/html.ts';
import { oneLine } from '../kernel/text.ts';

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Where a letter leads. */
interface Action {
  readonly name: string;
  readonly lead: string;
  readonly link: string;
}

/** What stands before the subject of a letter of the sandbox. */
export const TEST_MARK = '[Teste] ';

/** The head of what we write ourselves. */
export const OUR_LOOK: AccountLook = {
  name: 'Fatura',
  taxId: null,
  supportEmail: null,
  supportPhone: null,
  color: null,
  logoDigest: null,
  logoSize: null,
};

/** What stands in a letter, from top to bottom. */
export interface Contents {
  readonly look: AccountLook;
  /** Where the logo is; null: there is none. */
  readonly logo: string | null;
  readonly subject: string;
  readonly greeting: string;
  readonly lead: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly advice: string;
  /** What a banking app takes to pay. */
  readonly code: { readonly lead: string; readonly value: string; readonly note: string } | null;
  readonly action: Action | null;
  /** A sentence of the merchant. */
  readonly sentence?: string | null;
  readonly notes: readonly string[];
  /** Where the letter is read in a browser. */
  readonly inBrowser?: string | null;
  /** Where a buyer asks for all that an account has of them, and by what name. */
  readonly portal?: { readonly name: string; readonly link: string } | null;
  /** Where its reader says that they want no more of its kind. */
  readonly unsubscribe?: string | null;
}

/** Who writes, and how it is reached. */
function signature({ name, taxId, supportEmail, supportPhone }: AccountLook): string[] {
  const phone = supportPhone === null ? null : phoneInWords(supportPhone);
  const reached = [supportEmail, phone].filter((way) => way !== null);
  return [
    taxId === null ? oneLine(name) : `${oneLine(name)} · ${taxIdInWords(taxId)}`,
    ...(reached.length === 0 ? [] : [`Dúvidas? Fale com a loja: ${reached.join(' ou ')}`]),
  ];
}

/** What stands below a letter, each with the address that it leads to. */
const feet = ({ inBrowser, portal, unsubscribe }: Contents): (readonly [name: string, link: string])[] => [
  ...(portal == null ? [] : [[portal.name, portal.link] as const]),
  ...(inBrowser == null ? [] : [['Ver no navegador', inBrowser] as const]),
  ...(unsubscribe == null ? [] : [['Não quero mais receber avisos como este', unsubscribe] as const]),
];

function asText(contents: Contents): string {
  const { look, greeting, lead, facts, advice, code, action, sentence, notes } = contents;
  return [
    greeting,
    lead,
    ...(facts.length === 0 ? [] : [facts.map(([name, value]) => `${name}: ${value}`).join('\n')]),
    ...(action === null ? [] : [`${action.lead}\n${action.link}`]),
    ...(code === null ? [] : [`${code.lead}:\n${code.value}`, code.note]),
    advice,
    ...(sentence == null ? [] : [sentence]),
    ...notes,
    signature(look).join('\n'),
    ...feet(contents).map(([name, link]) => `${name}: ${link}`),
  ].join('\n\n');
}

const INK = '#1b1b1b';
const FAINT = '#555555';

const BODY = `margin:0;padding:24px 16px;font:16px/1.5 Helvetica,Arial,sans-serif;color:${INK};background:#ffffff;word-break:break-word`;
const BUTTON =
  'display:inline-block;padding:14px 24px;border-radius:6px;color:#ffffff;text-decoration:none;font-weight:bold';
const CODE = `margin:0;padding:12px;border:1px solid #bbbbbb;border-radius:6px;background:#f5f5f5;color:${INK};font:14px/1.4 Menlo,Consolas,monospace;word-break:break-all`;

const paragraph = (text: string): Html => html`<p>${text}</p>`;
const small = (text: string): Html => html`<p style="margin:4px 0;font-size:14px;color:${FAINT}">${text}</p>`;

const codeBlock = ({
  lead,
  value,
  note,
}: NonNullable<Contents['code']>): Html => html`<p style="margin-bottom:4px"><strong>${lead}</strong></p>
<p style="${CODE}">${value}</p>
${small(note)}`;

const buttonOf = ({ name, link }: Action, color: string): Html =>
  html`<p style="margin:24px 0"><a href="${link}" style="${BUTTON};background:${color}">${name}</a></p>
${small('Se o botão não funcionar, copie este endereço no navegador:')}
<p style="margin:0;font-size:14px;word-break:break-all"><a href="${link}" style="color:${FAINT}">${link}</a></p>`;

const LOGO = 'display:block;width:auto;height:auto;max-width:200px;max-height:56px;margin:0 0 12px;border:0';

const logoOf = ({ logo }: Contents): Html | null =>
  logo === null ? null : html`<img src="${logo}" alt="" style="${LOGO}">`;

/** What a list of mails shows beside the subject. */
const PREHEADER = 'display:none;max-height:0;overflow:hidden;opacity:0';

const footOf = ([name, link]: readonly [string, string]): Html =>
  html`<p style="margin:4px 0;font-size:14px"><a href="${link}" style="color:${FAINT}">${name}</a></p>`;

function asHtml(contents: Contents): string {
  const { look, subject, greeting, lead, facts, advice, code, action, sentence, notes } = contents;
  const color = look.color ?? COLOR_DEFAULT;
  const rows = facts.map(
    ([name, value]) =>
      html`<tr><td style="padding:2px 16px 2px 0;color:${FAINT};vertical-align:top;white-space:nowrap;word-break:normal">${name}</td><td><strong>${value}</strong></td></tr>`,
  );
  return html`<!doctype html>
<html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="${BODY}"><div style="${PREHEADER}">${lead}</div><div style="max-width:560px;margin:0 auto">
${logoOf(contents)}
<p style="margin:0 0 16px;padding-bottom:12px;border-bottom:3px solid ${color};font-size:18px"><strong>${oneLine(look.name)}</strong></p>
${[greeting, lead].map(paragraph)}
<table role="presentation" style="border-collapse:collapse">
${rows}
</table>
${action === null ? null : buttonOf(action, color)}
${code === null ? null : codeBlock(code)}
${paragraph(advice)}
${sentence == null ? null : paragraph(sentence)}
${notes.map(paragraph)}
<div style="margin-top:24px;padding-top:12px;border-top:1px solid #dddddd">
${signature(look).map(small)}
${feet(contents).map(footOf)}
</div>
</div></body></html>
`.text;
}

/** Whatever others wrote into a sentence ends neither it nor its direction. */
const inLines = (contents: Contents): Contents => ({
  ...contents,
  subject: oneLine(contents.subject),
  greeting: oneLine(contents.greeting),
  lead: oneLine(contents.lead),
  facts: contents.facts.map(([name, value]) => [name, oneLine(value)] as const),
  advice: oneLine(contents.advice),
  sentence: contents.sentence == null ? null : oneLine(contents.sentence),
  notes: contents.notes.map(oneLine),
});

/** A letter as plain text and as HTML that mail programs of phones show alike. */
export function layOut(given: Contents): Letter {
  const contents = inLines(given);
  return { subject: contents.subject, text: asText(contents), html: asHtml(contents) };
}

const TEST_NOTE = 'Esta é uma mensagem de teste: nenhum valor será cobrado.';

/** Who a letter to a buyer comes from, and how it calls its reader. */
export interface Frame extends Pick<Contents, 'look' | 'logo' | 'sentence' | 'inBrowser' | 'portal' | 'unsubscribe'> {
  readonly liveMode: boolean;
  /** Null: it is called by no name. */
  readonly buyer: string | null;
}

/** What a letter to a buyer says. */
export interface Words extends Pick<Contents, 'subject' | 'lead' | 'facts' | 'advice' | 'action' | 'notes'> {
  readonly code?: Contents['code'];
}

/** A letter to a buyer; one of the sandbox says that nothing is charged. */
export const layOutToBuyer = ({ liveMode, buyer, ...frame }: Frame, { code = null, ...words }: Words): Letter =>
  layOut({
    ...frame,
    ...words,
    code,
    subject: `${liveMode ? '' : TEST_MARK}${words.subject} – ${oneLine(frame.look.name)}`,
    greeting: buyer === null ? 'Olá!' : `Olá, ${oneLine(buyer)}!`,
    notes: [...words.notes, ...(liveMode ? [] : [TEST_NOTE])],
  });
