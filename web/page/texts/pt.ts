import type { Every, Method } from '../page-data.ts';
import { buyer, card, code, everyTime, mandate, methodNames, period, several } from './pt-forms.ts';
import { told } from './pt-told.ts';

const summary = {
  label: 'Resumo da fatura',
  items: (count: number) => (count === 1 ? '1 item' : `${count} itens`),
  each: (amount: string) => `${amount} cada`,
  more: (count: number) => `Mais ${count} ${count === 1 ? 'item' : 'itens'}`,
  subtotal: 'Subtotal',
  total: 'Total',
  discount: 'Desconto',
  due: 'Vencimento',
  next: 'Próxima cobrança',
  today: (now: string, later: string) => `hoje ${now}; ${later} em `,
  renews: (every: Every, amount: string) => `Renova ${everyTime(every)} por ${amount}.`,
  free: 'Cancele quando quiser.',
  sandbox: 'Ambiente de teste: nenhum valor será cobrado.',
  suspended: (card: string | null, reason: string | null) =>
    `Sua assinatura está suspensa${card === null ? '' : `: o ${card} ${reason ?? 'foi recusado'}`}. Ao pagar esta cobrança, ela volta a funcionar.`,
};

const methodHints: Readonly<Record<Method, string>> = {
  pix_automatico: 'Paga agora e autoriza as próximas cobranças',
  pix: 'Aprovado na hora',
  card: 'Crédito à vista',
};

const payment = {
  label: 'Pagamento',
  choose: 'Como você quer pagar?',
  byPix: 'Pague com PIX',
  byCard: 'Pague com cartão',
  hints: methodHints,
  upTo: (count: number) => `Até ${count}x sem juros`,
  secure: 'Pagamento seguro',
  debit: 'O Pix Automático debita esta cobrança em ',
  debitRest: '. Se você pagar antes, o débito é cancelado.',
  cardUnscripted: 'Para pagar com cartão, ative o JavaScript do navegador. O PIX funciona sem ele.',
  none: (merchant: string) => `Ainda não é possível pagar por aqui. Fale com ${merchant} para combinar outra forma.`,
};

const renewal = {
  label: 'Forma de pagamento',
  choose: 'Como você quer pagar as próximas cobranças?',
  hints: {
    pix_automatico: 'Debitado da sua conta',
    pix: 'O código chega por e-mail',
    card: 'Cobrança automática',
  } satisfies Record<Method, string>,
  byCard: 'no cartão',
  ending: (last4: string) => `final ${last4}`,
  theCard: 'cartão',
  byPix: 'por PIX',
  byMandate: 'por Pix Automático',
  current: 'Forma de pagamento atual: ',
  next: 'A próxima cobrança é em ',
  comesBack: (amount: string) => `Sua assinatura volta com o cartão: ${amount} são cobrados hoje.`,
  kept: (way: string) => `Seu cartão já está guardado: ${way}. `,
  nothingToday: 'Hoje nada é cobrado. Em ',
  charged: (amount: string) => ` são cobrados ${amount}, a não ser que você cancele antes.`,
  isPix: 'Sua assinatura já é paga por PIX: o código de cada cobrança chega no seu e-mail.',
  toPix: 'Pagar com PIX de agora em diante',
  turning: 'Mudando para PIX …',
  toPixNote: 'O código PIX de cada fatura fica nesta página. O cartão não é mais cobrado.',
  ready: 'Pronto',
  changed: (way: string) => `A partir de agora, sua assinatura é paga ${way}. Nada foi cobrado hoje.`,
  again: 'Mudar de novo',
  resumed: 'Sua assinatura voltou: o primeiro período começou hoje, e o cartão é cobrado.',
  trialBegan: 'Seu teste grátis começou.',
  cardKept: 'O cartão ficou guardado.',
  later: (day: string, amount: string) => `Hoje nada foi cobrado; em ${day} o cartão é cobrado em ${amount}.`,
  unscripted: 'Para informar um cartão, ative o JavaScript do navegador.',
  pixUnscripted: ' O PIX funciona sem ele.',
};

/** What whoever subscribes on a page agrees to; it is stored as it was read (docs/product/payment-page.md#consent). */
const consent = {
  subscribe: (amount: string, every: Every) => `Assinar por ${amount}/${period(every)}`,
  now: (merchant: string, today: string, renews: string) =>
    `Ao assinar, você autoriza ${merchant} a cobrar ${today} hoje e ${renews}, até você cancelar.`,
  trial: (merchant: string, first: string, renews: string) =>
    `Ao começar o teste grátis, você autoriza ${merchant} a cobrar ${first} e, depois, ${renews}, até você cancelar. Hoje nada é cobrado.`,
  later: (merchant: string, first: string, renews: string) =>
    `Ao continuar, você autoriza ${merchant} a cobrar ${first} e, depois, ${renews}, até você cancelar. Hoje nada é cobrado.`,
  on: (amount: string, day: string) => `${amount} em ${day}`,
  renews: (amount: string, every: Every) => `${amount} ${everyTime(every)}`,
  card: 'O cartão fica guardado para essas cobranças.',
  ifByCard: 'Se você pagar com cartão, ele fica guardado para essas cobranças.',
  cancel: 'Para cancelar, use o link dos e-mails de cobrança ou fale com a loja; nada mais é cobrado a partir daí.',
  cancelTrial: (day: string) =>
    `Para não ser cobrado, cancele antes de ${day} pelo link dos e-mails ou falando com a loja.`,
  terms: 'Termos',
  privacy: 'Privacidade',
};

const standing = {
  amountPaid: 'Valor pago',
  paidAt: 'Paga em',
  paidBy: 'Pago com',
  refunded: 'Devolvido',
  cardOnce: 'Cartão, à vista',
  cardTimes: (count: number) => `Cartão, em ${count} parcelas`,
  debitedOn: 'Será debitado em ',
  receipt: 'Ver recibo',
  firstCharge: (amount: string) => `A primeira cobrança, de ${amount}, é em `,
  unlessCanceled: ', a não ser que você cancele antes.',
  back: 'Voltar à loja',
  goingBack: (seconds: number) => `Voltando para a loja em ${seconds} s`,
  bill: 'Ver a cobrança',
  refresh: 'Atualizar esta página',
};

const promotionCode = {
  label: 'Código promocional',
  empty: 'Digite o código.',
  apply: 'Aplicar',
  applying: 'Aplicando …',
};

/** All that the page says, in Portuguese. */
export const pt = {
  lang: 'pt-BR',
  ...told,
  ...{ buyer, card, code, everyTime, mandate, methodNames, period, several },
  ...{ summary, payment, renewal, consent, standing },
  promotionCode,
  deadline: 'Tempo para pagar:',
  leave: 'Cancelar e voltar à loja',
  questions: 'Dúvidas? Fale com a loja:',
  toPortal: 'Voltar para minhas assinaturas',
  at: (day: string, time: string) => `${day} às ${time}`,
  days: (count: number) => `${count} ${count === 1 ? 'dia' : 'dias'}`,
  hours: (count: number) => `${count} ${count === 1 ? 'hora' : 'horas'}`,
  and: ' e ',
};

export type Texts = typeof pt;
