import { date, moment, money } from './format.ts';
import type { CardPayment, ReceiptView, RefundView } from './receipt-data.ts';
import { brandNames } from './texts.ts';

/** Something that a receipt says, and its name. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface Section {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** A receipt in words, the same on the page and in the file. */
export interface ReceiptWords {
  readonly title: string;
  /** Null in live mode. */
  readonly mark: string | null;
  readonly amount: string;
  readonly status: string;
  readonly paidAt: string;
  readonly parties: readonly Section[];
  readonly payment: readonly Section[];
  readonly notes: readonly string[];
}

/** The calendar of the service, by the name that Brazilians know it by. */
const ZONE = '(horário de Brasília)';

const NO_TAX_DOCUMENT = 'Este recibo não é documento fiscal e não substitui a nota fiscal.';
const SANDBOX = 'Ambiente de teste: recibo sem valor';

/** What has no value is not said. */
const factsOf = (facts: Readonly<Record<string, string | null>>): Fact[] =>
  Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));

const partiesOf = ({ seller, buyer }: ReceiptView): Section[] => [
  {
    title: 'Quem recebeu',
    facts: factsOf({ Nome: seller.name, Documento: seller.taxId, 'E-mail': seller.email, Telefone: seller.phone }),
  },
  {
    title: 'Cliente',
    facts:
      buyer === null
        ? [{ name: 'Nome', value: 'Dados pessoais apagados (LGPD)' }]
        : factsOf({ Nome: buyer.name, Documento: buyer.taxId, 'E-mail': buyer.email }),
  },
];

function cardName({ brand, last4 }: CardPayment): string {
  if (brand === null || last4 === null) return 'Cartão de crédito';
  return `Cartão de crédito ${brandNames[brand]}, final ${last4}`;
}

/** Equal ones together: `2x de R$ 33,34 e 1x de R$ 33,33`. */
function installmentsText(parts: readonly number[]): string {
  const amounts = [...new Set(parts)];
  const counted = amounts.map((amount) => `${parts.filter((part) => part === amount).length}x de ${money(amount)}`);
  return parts.length === 1 ? 'À vista' : counted.join(' e ');
}

function methodFacts(payment: ReceiptView['payment']): Record<string, string | null> {
  if (payment === null) return { 'Forma de pagamento': 'Nada a pagar' };
  const id = { 'Identificador do pagamento': payment.id };
  if (payment.method === 'card')
    return { 'Forma de pagamento': cardName(payment), Parcelas: installmentsText(payment.installments), ...id };
  return { 'Forma de pagamento': 'PIX', 'ID da transação PIX': payment.endToEndId, txid: payment.txid, ...id };
}

const paidAtText = ({ paidAt }: ReceiptView): string => `${moment(paidAt)} ${ZONE}`;

const refundFact = ({ amount, isDone, at }: RefundView): Fact => ({
  name: isDone ? 'Devolvido' : 'Em devolução',
  value: `${money(amount)}, ${isDone ? 'em' : 'desde'} ${moment(at)}`,
});

function refundSection({ refunds, amountRefunded }: ReceiptView): Section[] {
  if (refunds.length === 0) return [];
  const total = refunds.length === 1 ? [] : [{ name: 'Total devolvido', value: money(amountRefunded) }];
  return [{ title: 'Devoluções', facts: [...refunds.map(refundFact), ...total] }];
}

function paymentOf(view: ReceiptView): Section[] {
  const { amountPaid, payment, invoiceId, externalCode, period, description } = view;
  const paid = {
    'Valor pago': money(amountPaid),
    'Data do pagamento': paidAtText(view),
    ...methodFacts(payment),
  };
  const about = {
    Fatura: invoiceId,
    'Código da loja': externalCode,
    Descrição: description,
    Período: period === null ? null : `${date(period.start)} a ${date(period.end)}`,
  };
  return [
    { title: 'Pagamento', facts: factsOf(paid) },
    ...refundSection(view),
    { title: 'Referência', facts: factsOf(about) },
  ];
}

function statusOf({ amountPaid, amountRefunded }: ReceiptView): string {
  if (amountRefunded === 0) return 'Pago';
  return amountRefunded === amountPaid ? 'Pago e devolvido' : 'Pago, devolvido em parte';
}

/** Says in Portuguese what a receipt shows (docs/product/receipts.md#what-it-shows). */
export const wordReceipt = (view: ReceiptView): ReceiptWords => ({
  title: 'Recibo de pagamento',
  mark: view.isSandbox ? SANDBOX : null,
  amount: money(view.amountPaid),
  status: statusOf(view),
  paidAt: paidAtText(view),
  parties: partiesOf(view),
  payment: paymentOf(view),
  notes: [NO_TAX_DOCUMENT],
});
