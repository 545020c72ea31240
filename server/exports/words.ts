import type { DeclineReason } from '../../contract/errors.ts';
import type { ExportType } from '../../contract/export-columns.ts';
import type { Invoice, InvoiceStatus } from '../../contract/invoices.ts';
import type { PaymentIntentStatus } from '../../contract/payments.ts';
import type { PixReceipt } from '../../contract/pix-receipts.ts';
import type { Refund } from '../../contract/refunds.ts';
import type { Subscription, SubscriptionStatus } from '../../contract/subscriptions.ts';

type Words<Word extends string> = Readonly<Record<Word, string>>;

/** How the file of each list is called. */
export const fileNames: Words<ExportType> = {
  invoices: 'faturas',
  payment_intents: 'cobrancas',
  customers: 'clientes',
  subscriptions: 'assinaturas',
  refunds: 'devolucoes',
  pix_receipts: 'recebimentos-pix',
};

export const invoiceWords: Words<InvoiceStatus> = {
  draft: 'Rascunho',
  open: 'Em aberto',
  paid: 'Paga',
  uncollectible: 'Incobrável',
  void: 'Anulada',
};

export const billingWords: Words<Invoice['billing_reason']> = {
  manual: 'Avulsa',
  checkout_session: 'Checkout',
  subscription_create: 'Início de assinatura',
  subscription_end: 'Fim de assinatura',
  subscription_cycle: 'Renovação de assinatura',
  subscription_change: 'Mudança de assinatura',
};

export const intentWords: Words<PaymentIntentStatus> = {
  scheduled: 'Débito agendado',
  pending: 'Pendente',
  processing: 'Em processamento',
  paid: 'Paga',
  failed: 'Recusada',
  refunding: 'Em devolução',
  refunded: 'Devolvida',
  discarded: 'Descartada',
};

export const declineWords: Words<DeclineReason> = {
  insufficient_funds: 'Sem limite',
  expired_card: 'Cartão vencido',
  invalid_card_data: 'Dados do cartão inválidos',
  suspected_fraud: 'Suspeita de fraude',
  issuer_declined: 'Não autorizada pelo banco',
  processing_error: 'Erro de processamento',
};

export const methodWords: Words<'pix' | 'card'> = { pix: 'PIX', card: 'Cartão' };

export const personWords: Words<'individual' | 'business'> = {
  individual: 'Pessoa física',
  business: 'Pessoa jurídica',
};

export const subscriptionWords: Words<SubscriptionStatus> = {
  pending: 'Pendente',
  active: 'Ativa',
  paused: 'Pausada',
  suspended: 'Suspensa',
  inactive: 'Encerrada',
  scheduled: 'Agendada',
  trialing: 'Em teste',
};

export const intervalWords: Words<Subscription['item']['price']['interval']> = {
  day: 'Dia',
  week: 'Semana',
  month: 'Mês',
};

export const refundWords: Words<Refund['status']> = { refunding: 'Em devolução', refunded: 'Devolvido' };

export const receiptWords: Words<PixReceipt['result']> = {
  settled: 'Pagou a fatura',
  surplus: 'Pago a mais',
  undecided: 'A decidir',
};
