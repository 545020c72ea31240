import type {
  DeclineReason,
  InvoiceStatus,
  PaymentIntentStatus,
  PaymentMethodType,
  RefundPartStatus,
  RefundReason,
} from '@fatura/sdk';
import type { Catalogue } from './catalogue.ts';

const pt = {
  intents: {
    pending: 'Em aberto',
    scheduled: 'Débito agendado',
    processing: 'Processando',
    paid: 'Pago',
    failed: 'Recusado',
    refunding: 'Devolvendo',
    refunded: 'Devolvido',
    discarded: 'Descartado',
  } satisfies Record<PaymentIntentStatus, string>,
  partlyRefunded: 'Devolvido em parte',
  disputed: 'Contestado',
  invoices: {
    draft: 'Rascunho',
    open: 'Em aberto',
    paid: 'Paga',
    uncollectible: 'Incobrável',
    void: 'Anulada',
  } satisfies Record<InvoiceStatus, string>,
  overdue: 'Vencida',
  methods: { pix: 'PIX', card: 'Cartão', pix_automatico: 'Pix Automático' } satisfies Record<PaymentMethodType, string>,
  cardIn: (installments: number) => `Cartão em ${installments}×`,
  noMethod: 'A escolher',
  declines: {
    insufficient_funds: 'sem limite',
    expired_card: 'cartão vencido',
    invalid_card_data: 'dados do cartão não conferem',
    suspected_fraud: 'suspeita de fraude',
    issuer_declined: 'não autorizado pelo banco',
    processing_error: 'falha no processamento',
  } satisfies Record<DeclineReason, string>,
  refundReasons: {
    requested_by_customer: 'Pedido do cliente',
    duplicate: 'Cobrança em duplicidade',
    fraudulent: 'Fraude',
    product_not_delivered: 'Produto não entregue',
    other: 'Outro motivo',
  } satisfies Record<RefundReason, string>,
  refundDone: 'Devolução concluída',
  refundParts: { refunding: 'A caminho', refunded: 'Devolvido', failed: 'Recusado pelo banco' } satisfies Record<
    RefundPartStatus,
    string
  >,
};

export const paymentTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    intents: {
      pending: 'Open',
      scheduled: 'Debit scheduled',
      processing: 'Processing',
      paid: 'Paid',
      failed: 'Declined',
      refunding: 'Refunding',
      refunded: 'Refunded',
      discarded: 'Discarded',
    },
    partlyRefunded: 'Partly refunded',
    disputed: 'Disputed',
    invoices: { draft: 'Draft', open: 'Open', paid: 'Paid', uncollectible: 'Uncollectible', void: 'Void' },
    overdue: 'Overdue',
    methods: { pix: 'PIX', card: 'Card', pix_automatico: 'Pix Automático' },
    cardIn: (installments) => `Card in ${installments}×`,
    noMethod: 'Not chosen',
    declines: {
      insufficient_funds: 'insufficient funds',
      expired_card: 'card expired',
      invalid_card_data: 'card data do not match',
      suspected_fraud: 'suspected fraud',
      issuer_declined: 'declined by the bank',
      processing_error: 'processing failed',
    },
    refundReasons: {
      requested_by_customer: 'Requested by the customer',
      duplicate: 'Charged twice',
      fraudulent: 'Fraud',
      product_not_delivered: 'Product not delivered',
      other: 'Another reason',
    },
    refundDone: 'Refund complete',
    refundParts: { refunding: 'On its way', refunded: 'Refunded', failed: 'Refused by the bank' },
  },
};
