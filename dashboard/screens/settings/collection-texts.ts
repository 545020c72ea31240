import type { Catalogue } from '../../texts/catalogue.ts';

const pt = {
  title: 'Regras de cobrança',
  text: (mode: string) =>
    `O que o serviço faz sozinho com faturas não pagas do ambiente ${mode}. O que já está agendado fica como está.`,
  days: 'Prazos',
  overdue: 'Fatura atrasada',
  suspend: 'Assinatura suspensa',
  cancel: 'Assinatura encerrada',
  afterDue: 'Dias depois do vencimento, de 1 a 365.',
  retries: 'Novas tentativas no cartão',
  retriesHint: 'Dias depois da primeira cobrança, como 1, 3, 7. Vazio: nenhuma.',
  portal: 'O que o comprador faz sozinho',
  portalCancel: 'Cancelar',
  cancels: { period_end: 'No fim do período', none: 'Não pode' },
  pause: 'Pode pausar a assinatura',
  prices: 'Preços para os quais pode mudar',
  pricesHint: 'Códigos de preços recorrentes (price_…), separados por vírgula.',
  save: 'Salvar cobrança',
  saved: 'Cobrança alterada.',
};

type CollectionTexts = typeof pt;

export const collectionTexts: Catalogue<CollectionTexts> = {
  pt,
  en: {
    title: 'Collection rules',
    text: (mode) =>
      `What the service does by itself with unpaid invoices of the ${mode} mode. What is scheduled already stays as it is.`,
    days: 'Days',
    overdue: 'Invoice is overdue',
    suspend: 'Subscription is suspended',
    cancel: 'Subscription ends',
    afterDue: 'Days after the due date, 1 to 365.',
    retries: 'Card is charged again',
    retriesHint: 'Days after the first charge, such as 1, 3, 7. Empty: never.',
    portal: 'What buyers do by themselves',
    portalCancel: 'Cancel',
    cancels: { period_end: 'At the end of the period', none: 'They cannot' },
    pause: 'They may pause a subscription',
    prices: 'Prices they may change to',
    pricesHint: 'Ids of recurring prices (price_…), separated by commas.',
    save: 'Save collection',
    saved: 'Collection changed.',
  },
};
