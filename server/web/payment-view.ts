import type { ErrorCode } from '../../contract/errors.ts';
import { purposeOf } from '../invoices/purpose.ts';
import { civilDate, civilMoment, inReais, isoDate } from '../kernel/brazil.ts';
import { type Html, html } from '../kernel/html.ts';
import type { Bill, Standing, StandingQr } from './bill.ts';
import { messagePage, pageOf } from './page.ts';

const TRY_AGAIN = 'Aguarde um instante e tente de novo.';

/** What a refused checkout means to a buyer; other codes are faults of ours. */
const problems: Partial<Record<ErrorCode, string>> = {
  PIX_PAYMENT_CONFIRMED: 'O banco já confirmou o pagamento desta fatura. Não pague de novo.',
  PAYMENT_IN_PROGRESS: `Há um pagamento desta fatura em andamento. ${TRY_AGAIN}`,
  INVOICE_NOT_OPEN: 'Esta fatura não aceita mais pagamento.',
  INVALID_STATE: 'Esta fatura não pode ser paga agora. Fale com a loja.',
  ACQUIRER_UNAVAILABLE: `Não foi possível falar com o banco; nada foi cobrado. ${TRY_AGAIN}`,
  ACQUIRER_TIMEOUT: `O banco demorou a responder; nada foi cobrado. ${TRY_AGAIN}`,
  SERVICE_UNAVAILABLE: `O serviço está indisponível; nada foi cobrado. ${TRY_AGAIN}`,
  RESOURCE_MISSING: 'Esta fatura não existe mais.',
};

export const problemOf = (code: ErrorCode): string =>
  problems[code] ?? 'Algo deu errado do nosso lado; nada foi cobrado. Tente de novo mais tarde.';

export const notFoundPage = (): string =>
  messagePage({
    title: 'Fatura não encontrada',
    text: 'Confira se o endereço está completo, exatamente como no e-mail que você recebeu, ou fale com a loja.',
  });

export const problemPage = (problem: string): string =>
  messagePage({ title: 'Não foi possível abrir a fatura', text: problem });

interface Told {
  readonly style: string;
  readonly status: string;
  readonly note: string;
}

const told: Readonly<Record<Standing, (bill: Bill) => Told>> = {
  payable: ({ isLate }) =>
    isLate ? { style: 'late', status: 'Vencida', note: '' } : { style: 'open', status: 'Em aberto', note: '' },
  confirmed: () => ({
    style: 'open',
    status: 'Pagamento confirmado',
    note: 'O banco confirmou o pagamento e ainda vai liquidá-lo. Não pague de novo.',
  }),
  processing: () => ({
    style: 'open',
    status: 'Pagamento em processamento',
    note: 'Há um pagamento desta fatura em andamento. Volte a esta página em instantes.',
  }),
  paid: () => ({ style: 'paid', status: 'Paga', note: 'O pagamento foi recebido. Obrigado!' }),
  void: () => ({ style: 'void', status: 'Cancelada', note: 'Esta fatura foi cancelada e não precisa ser paga.' }),
};

const fact = (name: string, value: Html | string): Html => html`<dt>${name}</dt><dd>${value}</dd>`;

const dateOf = (instant: number): Html => html`<time datetime="${isoDate(instant)}">${civilDate(instant)}</time>`;

const factsOf = (bill: Bill): Html => html`<dl>
${[
  fact('Referente a', purposeOf(bill)),
  fact('Vencimento', dateOf(bill.dueAt)),
  ...(bill.paidAt === null ? [] : [fact('Paga em', dateOf(bill.paidAt))]),
  ...(bill.amountRefunded === 0 ? [] : [fact('Devolvido', inReais(bill.amountRefunded))]),
]}
</dl>`;

const codeOf = ({ image, copyPaste, expiresAt }: StandingQr, amount: number): Html => html`<h2>Pague com PIX</h2>
<ol><li>Abra o aplicativo do seu banco e escolha pagar com PIX.</li>
<li>Leia o QR code ou copie o código abaixo.</li>
<li>Confira o valor e confirme.</li></ol>
<img class="qr" src="${image}" alt="QR code PIX de ${inReais(amount)}">
<label for="code">PIX copia e cola</label>
<textarea id="code" rows="7" readonly spellcheck="false">${copyPaste}</textarea>
<p class="note">Este código vale até ${civilMoment(expiresAt)}.</p>
<p><a href="">Já paguei: atualizar esta página</a></p>`;

const FORM = html`<form method="post"><button type="submit">Gerar código PIX</button></form>
<p class="note">O código é criado na hora e pode ser pago no aplicativo de qualquer banco.</p>`;

const TEST_BANNER = html`<p class="test">Ambiente de teste: nenhum valor será cobrado.</p>`;

function waysToPay({ standing, qr, amount }: Bill): Html[] {
  if (standing !== 'payable') return [];
  return [qr === null ? FORM : codeOf(qr, amount)];
}

/** The page of a payment link; `problem` says why the last try to pay came to nothing. */
export function paymentPage(bill: Bill, problem: string | null = null): string {
  const { style, status, note } = told[bill.standing](bill);
  const body = [
    ...(bill.liveMode ? [] : [TEST_BANNER]),
    html`<h1>${bill.merchant}</h1>`,
    html`<p class="amount">${inReais(bill.amount)}</p>`,
    html`<p class="status ${style}">${status}</p>`,
    ...(problem === null ? [] : [html`<p class="problem" role="alert">${problem}</p>`]),
    ...(note === '' ? [] : [html`<p>${note}</p>`]),
    factsOf(bill),
    ...waysToPay(bill),
  ];
  return pageOf({ title: `${status}: fatura de ${bill.merchant}`, body });
}
