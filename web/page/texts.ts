import type { DeclineReason } from '../../contract/errors.ts';
import type { Problem, PurchaseView, Standing } from './page-data.ts';

const TRY_AGAIN = 'Aguarde um instante e tente de novo.';
const TRY_OTHER = 'Tente outro cartão ou pague com PIX.';

/** What the buyer is to do after each decline (docs/product/cards.md#declines). */
export const declines: Readonly<Record<DeclineReason, { title: string; advice: string }>> = {
  insufficient_funds: {
    title: 'Seu cartão não tem limite para esta compra',
    advice: 'Libere limite no aplicativo do banco, tente outro cartão ou pague com PIX.',
  },
  expired_card: {
    title: 'Seu cartão está vencido',
    advice: `Confira a validade impressa no cartão. ${TRY_OTHER}`,
  },
  invalid_card_data: {
    title: 'O banco não reconheceu os dados do cartão',
    advice: 'Confira o número, a validade, o CVV e o CPF do titular, e tente de novo.',
  },
  suspected_fraud: {
    title: 'O banco bloqueou a compra por segurança',
    advice:
      'Confirme a compra no aplicativo do banco, se ele pedir, ou ligue para o número no verso do cartão. Você também pode pagar com PIX.',
  },
  issuer_declined: {
    title: 'O banco não autorizou a compra',
    advice: `Fale com o banco que emitiu o cartão para saber o motivo. ${TRY_OTHER}`,
  },
  processing_error: {
    title: 'Não foi possível processar o cartão',
    advice: `Nada foi cobrado. ${TRY_AGAIN} Se continuar, use outro cartão ou pague com PIX.`,
  },
};

export const NOT_CHARGED = 'Nada foi cobrado.';

/** Cards were declined too often. */
export const NO_MORE_CARDS = 'Foram muitas tentativas recusadas com cartão; nada foi cobrado. Pague com PIX.';

/** What a refusal means to a buyer. */
const problems: Partial<Record<Problem['code'], string>> = {
  PIX_PAYMENT_CONFIRMED: 'O banco já confirmou o pagamento desta fatura. Não pague de novo.',
  PAYMENT_IN_PROGRESS: `Há um pagamento desta fatura em andamento. ${TRY_AGAIN}`,
  IDEMPOTENCY_KEY_IN_USE: `Seu pagamento já está sendo processado. ${TRY_AGAIN}`,
  SESSION_NOT_OPEN: 'O prazo desta fatura acabou; nada foi cobrado. Volte à loja para comprar de novo.',
  INVOICE_NOT_OPEN: 'Esta fatura não aceita mais pagamento.',
  CARD_ATTEMPTS_EXHAUSTED: NO_MORE_CARDS,
  INVALID_STATE: 'Esta fatura não pode ser paga agora. Fale com a loja.',
  ACQUIRER_UNAVAILABLE: `Não foi possível falar com o banco; nada foi cobrado. ${TRY_AGAIN}`,
  ACQUIRER_TIMEOUT: `O banco demorou a responder; nada foi cobrado. ${TRY_AGAIN}`,
  MODE_NOT_SERVED: 'Este link não é aberto neste endereço. Peça um novo link a quem o enviou.',
  SERVICE_UNAVAILABLE: `O serviço está indisponível; nada foi cobrado. ${TRY_AGAIN}`,
  REQUEST_TIMEOUT: `Os dados não chegaram a tempo; nada foi cobrado. ${TRY_AGAIN}`,
  RESOURCE_MISSING: 'Esta fatura não existe mais.',
  RATE_LIMITED: 'Foram muitas tentativas em pouco tempo. Aguarde um minuto e tente de novo.',
  CROSS_SITE: 'O pedido não veio desta página. Abra de novo o endereço que você recebeu.',
  NETWORK: `Sem conexão com a internet. ${TRY_AGAIN}`,
  PLAIN_HTTP:
    'Esta página não foi aberta por https, e sem essa proteção um cartão não pode ser enviado; nada foi cobrado. Abra o endereço com https ou pague com PIX.',
  MANDATE_EXISTS: 'O Pix Automático desta assinatura já foi pedido ou autorizado. Abra a página de novo.',
  MANDATE_INTERVAL_UNSUPPORTED: 'Esta cobrança não pode ser debitada pelo Pix Automático. Pague de outra forma.',
  MANDATE_UNSUPPORTED: 'Esta cobrança não pode ser debitada pelo Pix Automático. Pague de outra forma.',
  PROMOTION_CODE_INVALID: 'Este código não vale para esta compra.',
  PARAMETER_INVALID: 'Confira os campos marcados.',
  CARD_BRAND_NOT_SUPPORTED:
    'Esta bandeira não é aceita. Aceitamos Visa, Mastercard, American Express, Elo e Hipercard.',
  CARD_EXPIRED: 'Este cartão está vencido. Tente outro cartão ou pague com PIX.',
  CARD_TOKEN_EXPIRED: 'O envio do cartão demorou demais; nada foi cobrado. Tente de novo.',
  INSTALLMENTS_NOT_ALLOWED: 'Este número de parcelas não está disponível. Escolha outro.',
  INSTALLMENT_BELOW_MINIMUM: 'Cada parcela deve ser de R$ 5,00 ou mais. Escolha menos parcelas.',
};

const OTHERWISE = 'Algo deu errado do nosso lado; nada foi cobrado. Tente de novo mais tarde.';

export const problemText = ({ code }: Problem): string => problems[code] ?? OTHERWISE;

/** After these nobody can say yet whether the card was charged. */
const UNCERTAIN: readonly Problem['code'][] = [
  'ACQUIRER_TIMEOUT',
  'NETWORK',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
  'IDEMPOTENCY_KEY_IN_USE',
];

const UNCERTAIN_TEXT =
  'A resposta do pagamento não chegou. Se ele foi aprovado, esta página mostra em instantes. ' +
  'Se nada mudar, toque em pagar de novo: com os mesmos dados o cartão não é cobrado duas vezes.';

/** Whether the charge that was asked for may still have been made. */
export const isUncertain = ({ code }: Problem): boolean => UNCERTAIN.includes(code);

/** The same for a charge by card, of which a lost answer says nothing. */
export const cardProblemText = (problem: Problem): string =>
  isUncertain(problem) ? UNCERTAIN_TEXT : problemText(problem);

const words: Readonly<Record<PurchaseView['kind'], { small: string; large: string }>> = {
  invoice: { small: 'fatura', large: 'Fatura' },
  session: { small: 'compra', large: 'Compra' },
  subscription: { small: 'assinatura', large: 'Assinatura' },
};

/** What a text calls the purchase: all the words are of one gender. */
export const worded = (kind: PurchaseView['kind'], text: string): string =>
  text.replaceAll('fatura', words[kind].small).replaceAll('Fatura', words[kind].large);

/** A standing in a word or two. */
export const standingNames: Readonly<Record<Standing, string>> = {
  buyer: 'Em aberto',
  payable: 'Em aberto',
  scheduled: 'Débito agendado',
  processing: 'Pagamento em processamento',
  unknown: 'Pagamento sem resposta do banco',
  confirmed: 'Pagamento confirmado',
  paid: 'Paga',
  begun: 'Confirmada',
  void: 'Cancelada',
  expired: 'Encerrada',
  renewing: 'Ativa',
  card_needed: 'Aguarda o cartão',
  billed: 'Em aberto',
};

export const LATE = 'Vencida';

/** The form of the buyer came back. */
export const REFUSED = 'Confira seus dados';

export const notFound = {
  title: 'Fatura não encontrada',
  text: 'Confira se o endereço está completo, exatamente como no e-mail que você recebeu, ou fale com a loja.',
};

export const exportGone = {
  title: 'Este arquivo não está mais disponível',
  text: 'Um arquivo exportado fica disponível por 24 horas. Para baixá-lo, exporte de novo.',
};

export const gone = {
  title: 'Esta página não está mais disponível',
  text: 'O prazo para vê-la acabou. Se precisar de ajuda, fale com a loja.',
};

export const confirmable = {
  title: 'Confirme o seu e-mail',
  text: 'Seu endereço foi informado em uma compra em {loja}. Confirme que ele é seu para receber os avisos de cobrança.',
};

export const confirmed = {
  title: 'E-mail confirmado',
  text: 'Pronto: a partir de agora os avisos de cobrança de {loja} chegam no seu e-mail.',
};

export const subscribed = {
  title: 'Avisos por e-mail',
  text: 'Você pode parar de receber os avisos de {loja} que não são sobre dinheiro, como o começo ou a mudança de uma assinatura. Cobranças, pagamentos e reembolsos continuam chegando.',
};

export const unsubscribed = {
  title: 'Pronto: você não recebe mais esses avisos',
  text: '{loja} só escreve para você sobre cobranças, pagamentos e reembolsos.',
};

export const noReceipt = {
  title: 'Esta fatura não tem recibo',
  text: 'Nenhum pagamento desta fatura foi confirmado. O recibo aparece neste endereço assim que um pagamento for confirmado.',
};

export const NOT_OPENED = 'Não foi possível abrir a fatura';

export { brandNames } from '../../server/kernel/brand-names.ts';
