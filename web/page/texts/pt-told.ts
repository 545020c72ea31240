import type { DeclineReason } from '../../../contract/errors.ts';
import type { Problem, Standing } from '../page-data.ts';

const TRY_AGAIN = 'Aguarde um instante e tente de novo.';
const TRY_OTHER = 'Tente outro cartão ou pague com PIX.';
const NO_MORE_CARDS = 'Foram muitas tentativas recusadas com cartão; nada foi cobrado. Pague com PIX.';

/** What the buyer is to do after each decline (docs/product/cards.md#declines). */
const declines: Readonly<Record<DeclineReason, { title: string; advice: string; short: string }>> = {
  insufficient_funds: {
    title: 'Seu cartão não tem limite para esta compra',
    advice: 'Libere limite no aplicativo do banco, tente outro cartão ou pague com PIX.',
    short: 'não tinha limite',
  },
  expired_card: {
    title: 'Seu cartão está vencido',
    advice: `Confira a validade impressa no cartão. ${TRY_OTHER}`,
    short: 'está vencido',
  },
  invalid_card_data: {
    title: 'O banco não reconheceu os dados do cartão',
    advice: 'Confira o número, a validade, o CVV e o CPF do titular, e tente de novo.',
    short: 'teve os dados recusados pelo banco',
  },
  suspected_fraud: {
    title: 'O banco bloqueou a compra por segurança',
    advice:
      'Confirme a compra no aplicativo do banco, se ele pedir, ou ligue para o número no verso do cartão. Você também pode pagar com PIX.',
    short: 'foi bloqueado pelo banco por segurança',
  },
  issuer_declined: {
    title: 'O banco não autorizou a compra',
    advice: `Fale com o banco que emitiu o cartão para saber o motivo. ${TRY_OTHER}`,
    short: 'não foi autorizado pelo banco',
  },
  processing_error: {
    title: 'Não foi possível processar o cartão',
    advice: `Nada foi cobrado. ${TRY_AGAIN} Se continuar, use outro cartão ou pague com PIX.`,
    short: 'não pôde ser processado',
  },
};

/** What a refusal means to a buyer. */
const problems: Partial<Record<Problem['code'], string>> = {
  PIX_PAYMENT_CONFIRMED: 'O banco já confirmou o pagamento desta fatura. Não pague de novo.',
  PAYMENT_IN_PROGRESS: `Há um pagamento desta fatura em andamento. ${TRY_AGAIN}`,
  IDEMPOTENCY_KEY_IN_USE: `Seu pagamento já está sendo processado. ${TRY_AGAIN}`,
  SESSION_NOT_OPEN: 'O prazo desta fatura acabou; nada foi cobrado. Volte à loja para comprar de novo.',
  INVOICE_NOT_OPEN: 'Esta fatura não aceita mais pagamento.',
  PREVIEW_OUTDATED: 'O valor mudou e nada foi cobrado. Confira o novo valor e tente de novo.',
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

/** A standing in a word or two. */
const standings: Readonly<Record<Standing, string>> = {
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

/** What a buyer is told of a purchase that cannot be paid now (docs/product/payment-page.md#standings). */
const closed = {
  processing: {
    title: standings.processing,
    text: 'Há um pagamento desta fatura em andamento. O resultado aparece aqui assim que o banco responder.',
  },
  scheduled: {
    title: standings.scheduled,
    text: 'O Pix Automático debita esta fatura da sua conta. Não pague de outra forma: o resultado aparece aqui.',
  },
  unknown: {
    title: 'Ainda não sabemos o resultado',
    text:
      'O banco não respondeu a tempo, e o cartão pode ou não ter sido cobrado. Não pague de novo: estamos perguntando ao ' +
      'banco, e o resultado aparece aqui. Você pode fechar esta página e voltar mais tarde pelo mesmo endereço.',
  },
  confirmed: {
    title: standings.confirmed,
    text: 'O banco confirmou o pagamento e ainda vai liquidá-lo. Não pague de novo.',
  },
  paid: { title: 'Pagamento recebido', text: 'O pagamento foi recebido. Obrigado!' },
  begun: { title: 'Assinatura confirmada', text: 'Hoje nada foi cobrado.' },
  void: { title: 'Fatura cancelada', text: 'Esta fatura foi cancelada e não precisa ser paga.' },
  billed: {
    title: 'Há uma cobrança em aberto',
    text: 'Para manter a sua assinatura, pague a cobrança que está em aberto.',
  },
  expired: {
    title: 'O prazo para pagar acabou',
    text: 'Nada foi cobrado. Se você já pagou por PIX depois do prazo, o valor volta para a sua conta. Para comprar, volte à loja.',
  },
};

/** What buyers are told of what became of a purchase, and of what they asked for; the word for an invoice stands for all that is paid (`worded`). */
export const told = {
  words: {
    invoice: { small: 'fatura', large: 'Fatura' },
    session: { small: 'compra', large: 'Compra' },
    subscription: { small: 'assinatura', large: 'Assinatura' },
  },
  ...{ declines, problems, standings, closed },
  noMoreCards: NO_MORE_CARDS,
  tooManyTries: 'Foram muitas tentativas em pouco tempo. Aguarde um minuto ou pague com PIX.',
  otherwise: 'Algo deu errado do nosso lado; nada foi cobrado. Tente de novo mais tarde.',
  uncertain:
    'A resposta do pagamento não chegou. Se ele foi aprovado, esta página mostra em instantes. ' +
    'Se nada mudar, toque em pagar de novo: com os mesmos dados o cartão não é cobrado duas vezes.',
  titleOf: (status: string, merchant: string) => `${status}: fatura de ${merchant}`,
  late: 'Vencida',
  refused: 'Confira seus dados',
};
