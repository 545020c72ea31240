import type { SubscriptionStatus } from '../../../contract/subscriptions.ts';
import type { Every, Problem } from '../page-data.ts';
import type { PortalContent, PortalNotice } from '../portal-data.ts';
import { period, several } from './pt-forms.ts';

const statuses: Readonly<Record<SubscriptionStatus, string>> = {
  scheduled: 'Ainda não começou',
  pending: 'Aguarda o pagamento',
  trialing: 'Teste grátis',
  active: 'Ativa',
  paused: 'Pausada',
  suspended: 'Suspensa',
  inactive: 'Encerrada',
};

/** What was done, in a sentence. */
const notices: Readonly<Record<PortalNotice, string>> = {
  cancel: 'Cancelamento confirmado. Sua assinatura vale até o fim do período e não é renovada.',
  uncancel: 'Pronto: sua assinatura continua.',
  pause: 'Sua assinatura está pausada.',
  resume: 'Pronto: sua assinatura voltou.',
  change: 'Mudança confirmada.',
  card_preferred: 'Pronto: este é agora o seu cartão principal.',
  card_removed: 'O cartão foi removido.',
  mandate_ended: 'O Pix Automático foi encerrado. As próximas cobranças chegam com código PIX.',
};

const problems: Partial<Record<Problem['code'], string>> = {
  PAYMENT_METHOD_IN_USE: 'Este cartão paga uma assinatura. Cadastre outro cartão nela antes de remover este.',
  PREVIEW_OUTDATED: 'O valor mudou desde que a página foi aberta. Confira de novo antes de confirmar.',
  CHANGE_PENDING: 'Já há uma mudança que aguarda o pagamento.',
  INVOICE_UNPAID: 'Pague antes a cobrança que está em aberto.',
  NOTHING_CHANGES: 'Sua assinatura já é assim.',
  PRICE_INACTIVE: 'Este plano não está mais à venda.',
  PAYMENT_IN_PROGRESS: 'Há um pagamento em andamento. Aguarde um instante e tente de novo.',
  PIX_PAYMENT_CONFIRMED: 'O banco acabou de confirmar um pagamento. Confira a página e tente de novo.',
  INVALID_STATE: 'Isto não pode ser feito agora. Confira como está e, se precisar, fale com a loja.',
  RESOURCE_MISSING: 'Isto não existe mais. Confira como está.',
  RATE_LIMITED: 'Foram muitas tentativas em pouco tempo. Aguarde um minuto e tente de novo.',
  PARAMETER_INVALID: 'O pedido não chegou inteiro. Tente de novo.',
  SERVICE_UNAVAILABLE: 'O serviço está indisponível. Aguarde um instante e tente de novo.',
  ACQUIRER_UNAVAILABLE: 'Não foi possível falar com o banco; nada mudou. Aguarde um instante e tente de novo.',
};

const titles: Readonly<Record<PortalContent['kind'], string>> = {
  overview: 'Suas assinaturas e cobranças',
  paid: 'Cobranças pagas',
  change: 'Mudar de plano',
};

const bills = {
  title: (count: number): string => (count === 1 ? 'Cobrança em aberto' : 'Cobranças em aberto'),
  one: 'Cobrança',
  late: 'Vencida',
  open: 'Em aberto',
  wasDue: 'Venceu em ',
  isDue: 'Vence em ',
  pay: (amount: string) => `Pagar ${amount}`,
  paidOn: 'Paga em ',
  returned: (amount: string) => `; devolvidos ${amount}`,
  receipt: 'Ver recibo',
  file: 'Baixar PDF',
  all: 'Ver todas as cobranças pagas',
  before: 'Ver as anteriores',
};

const subscription = {
  title: 'Assinaturas',
  one: 'Assinatura',
  some: 'uma assinatura',
  changesOn: (day: string) => `Muda de plano em ${day}.`,
  billed: 'Há uma cobrança em aberto no alto desta página.',
  ended: (day: string) => `Encerrada em ${day}.`,
  canceled: (day: string) => `Cancelada: vale até ${day} e não é renovada.`,
  pausesOn: (day: string) => `Será pausada em ${day}.`,
  nothing: 'sem cobrança',
  first: (amount: string, day: string) => `Primeira cobrança: ${amount} em ${day}.`,
  next: (amount: string, day: string) => `Próxima cobrança: ${amount} em ${day}.`,
  goOn: 'Continuar assinando',
  resume: 'Retomar',
  update: 'Trocar a forma de pagamento',
  change: 'Mudar de plano',
  pause: 'Pausar',
  pauseText:
    'A assinatura para hoje e nada é cobrado enquanto isso. Os dias já pagos ficam guardados até você retomar.',
  pauseSure: 'Sim, pausar',
  cancel: 'Cancelar assinatura',
  cancelSure: 'Sim, cancelar',
  until: (isTrial: boolean, day: string) =>
    `${isTrial ? 'Seu teste' : 'Sua assinatura'} vale até ${day} e depois não é renovada.`,
  penalty: (amount: string) =>
    ` Por causa da fidelidade, encerrar nesse dia custa ${amount}, que chegam em uma última cobrança.`,
  free: ' Nada é cobrado por isso.',
  takeBack: ' Você pode voltar atrás até lá.',
};

const change = {
  label: 'Confirme a mudança',
  now: 'Vale a partir de agora.',
  from: (day: string) => `Vale a partir de ${day}.`,
  dueNow: (amount: string) => `Você paga ${amount} agora.`,
  onNext: (amount: string) => `A diferença do período atual, de ${amount}, vem na próxima cobrança.`,
  credit: (amount: string) => `A diferença do período atual, de ${amount}, vira crédito na próxima cobrança.`,
  penalty: (amount: string) => `Por causa da fidelidade, a mudança custa ${amount}, que vêm na próxima cobrança.`,
  sure: 'Confirmar mudança',
};

const methods = {
  card: 'Cartão',
  byPix: 'PIX: o código chega por e-mail',
  ending: (last4: string) => `final ${last4}`,
  cards: 'Cartões guardados',
  isDefault: 'Principal',
  isClosed: 'Encerrado pelo banco',
  expires: (month: string) => `Validade ${month}`,
  pays: (names: string) => `Usado em ${names}.`,
  prefer: 'Tornar o principal',
  remove: 'Remover',
  removeText: 'O cartão deixa de ser guardado.',
  removeSure: 'Sim, remover',
  authorised: 'Autorizado',
  awaited: 'Aguarda sua autorização',
  debited: (every: Every) => `Debitado a cada ${period(every)}`,
  end: 'Encerrar a autorização',
  endText: 'Nada mais é debitado da sua conta. As próximas cobranças chegam por e-mail, com código PIX.',
  endSure: 'Sim, encerrar',
};

const ask = {
  title: 'Minhas assinaturas e cobranças',
  text: 'Informe o seu e-mail. Se ele tiver compras em lojas que cobram pela Fatura, cada loja envia um link para ver suas assinaturas, cobranças e recibos.',
  asked: 'Confira o seu e-mail',
  askedText:
    'Se houver compras com este endereço, o link de cada loja chega em alguns minutos e vale por uma hora. Veja também a caixa de spam.',
  noAddress: 'Informe um e-mail como maria@exemplo.com.br.',
  tooOften: 'Foram muitos pedidos em pouco tempo. Tente de novo mais tarde.',
  ended: 'Este link não vale mais',
  endedText: 'Por segurança, o link vale por pouco tempo. Peça outro aqui pelo seu e-mail, ou abra de novo pela loja.',
  email: 'Seu e-mail',
  send: 'Enviar link',
};

/** What the page of a customer says; no browser needs it. */
export const ptPortal = {
  ...{ statuses, notices, problems, titles, bills, subscription, change, methods, ask },
  empty: 'Ainda não há nada aqui: nenhuma assinatura e nenhuma cobrança.',
  home: 'Voltar para o início',
  back: 'Voltar à loja',
  /** `R$ 99,90 por mês`, `R$ 99,90 a cada 3 meses` */
  price: (amount: string, every: Every) =>
    `${amount} ${every.count === 1 ? `por ${period(every)}` : `a cada ${several(every)}`}`,
};

export type PortalWords = typeof ptPortal;
