import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { date, money } from './format.ts';
import type { Problem } from './page-data.ts';
import type { PortalCardView, PortalMethod, PortalNotice, PortalSubscriptionView } from './portal-data.ts';
import { pt } from './texts/pt.ts';
import { brandNames, problemText } from './texts.ts';

export const subscriptionStatusNames: Readonly<Record<SubscriptionStatus, string>> = {
  scheduled: 'Ainda não começou',
  pending: 'Aguarda o pagamento',
  trialing: 'Teste grátis',
  active: 'Ativa',
  paused: 'Pausada',
  suspended: 'Suspensa',
  inactive: 'Encerrada',
};

/** What was done, in a sentence. */
export const noticeTexts: Readonly<Record<PortalNotice, string>> = {
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

export const portalProblemText = (problem: Problem): string => problems[problem.code] ?? problemText(pt, problem);

/** `Visa final 4242` */
export const cardName = ({ brand, last4 }: Pick<PortalCardView, 'brand' | 'last4'>): string =>
  [brand === null ? 'Cartão' : brandNames[brand], ...(last4 === null ? [] : [`final ${last4}`])].join(' ');

export function methodName(paidBy: PortalMethod): string {
  if (paidBy.method === 'pix') return 'PIX: o código chega por e-mail';
  return paidBy.method === 'card' ? cardName(paidBy) : 'Pix Automático';
}

/** What becomes of it next, in a sentence; null: nothing by itself. */
export function nextText({ status, next, cancelAt, endedAt, pausesAt }: PortalSubscriptionView): string | null {
  if (endedAt !== null) return `Encerrada em ${date(endedAt)}.`;
  if (cancelAt !== null) return `Cancelada: vale até ${date(cancelAt)} e não é renovada.`;
  if (pausesAt !== null && status === 'active') return `Será pausada em ${date(pausesAt)}.`;
  if (next === null) return null;
  const amount = next.amount === 0 ? 'sem cobrança' : money(next.amount);
  return status === 'trialing'
    ? `Primeira cobrança: ${amount} em ${date(next.at)}.`
    : `Próxima cobrança: ${amount} em ${date(next.at)}.`;
}

/** What a cancellation means, before it is confirmed. */
export function cancelText({ end, status }: PortalSubscriptionView): string {
  if (end === null) return '';
  const until = `${status === 'trialing' ? 'Seu teste' : 'Sua assinatura'} vale até ${date(end.at)} e depois não é renovada.`;
  const cost =
    end.penalty > 0
      ? ` Por causa da fidelidade, encerrar nesse dia custa ${money(end.penalty)}, que chegam em uma última cobrança.`
      : ' Nada é cobrado por isso.';
  return `${until}${cost} Você pode voltar atrás até lá.`;
}

export const ask = {
  title: 'Minhas assinaturas e cobranças',
  text: 'Informe o seu e-mail. Se ele tiver compras em lojas que cobram pela Fatura, cada loja envia um link para ver suas assinaturas, cobranças e recibos.',
  asked: 'Confira o seu e-mail',
  askedText:
    'Se houver compras com este endereço, o link de cada loja chega em alguns minutos e vale por uma hora. Veja também a caixa de spam.',
  noAddress: 'Informe um e-mail como maria@exemplo.com.br.',
  tooOften: 'Foram muitos pedidos em pouco tempo. Tente de novo mais tarde.',
  ended: 'Este link não vale mais',
  endedText: 'Por segurança, o link vale por pouco tempo. Peça outro aqui pelo seu e-mail, ou abra de novo pela loja.',
} as const;

/** `R$ 99,90 por mês` */
export const priceText = ({ amount, per }: { amount: number; per: string }): string => `${money(amount)} ${per}`;
