import type { CheckoutSessionStatus } from '@fatura/sdk';
import type { Catalogue } from '../../texts/catalogue.ts';

const pt = {
  title: 'Busca',
  titleOf: (query: string) => `Busca por “${query}”`,
  start:
    'Procure por nome, e-mail, CPF ou CNPJ, telefone, valor (99,90), final do cartão (•4242), código, txid ou código fim a fim do PIX.',
  tooShort: 'Escreva pelo menos três caracteres.',
  nothing: (query: string) => `Nada encontrado para “${query}”.`,
  searched:
    'Foi procurado entre nomes, e-mails, CPF e CNPJ, telefones, valores, finais de cartão, seus códigos, txids, códigos fim a fim do PIX e códigos da Fatura.',
  otherMode: (mode: string) => `A busca é em ${mode}: no outro ambiente os dados são outros.`,
  customers: 'Clientes',
  invoices: 'Faturas',
  payments: 'Pagamentos',
  subscriptions: 'Assinaturas',
  sessions: 'Compras',
  customer: 'Cliente',
  when: 'Quando',
  method: 'Método',
  amount: 'Valor',
  status: 'Situação',
  id: 'Código',
  sessionStatuses: { open: 'Em aberto', complete: 'Concluída', expired: 'Encerrada' } satisfies Record<
    CheckoutSessionStatus,
    string
  >,
};

export const searchTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Search',
    titleOf: (query) => `Search for “${query}”`,
    start:
      'Search by name, e-mail, CPF or CNPJ, phone, amount (99,90), last digits of a card (•4242), code, txid or end-to-end id of a PIX.',
    tooShort: 'Write at least three characters.',
    nothing: (query) => `Nothing found for “${query}”.`,
    searched:
      'Looked among names, e-mails, CPF and CNPJ, phones, amounts, last digits of cards, your codes, txids, end-to-end ids of PIX and ids of Fatura.',
    otherMode: (mode) => `The search is of ${mode}: the other mode has other data.`,
    customers: 'Customers',
    invoices: 'Invoices',
    payments: 'Payments',
    subscriptions: 'Subscriptions',
    sessions: 'Purchases',
    customer: 'Customer',
    when: 'When',
    method: 'Method',
    amount: 'Amount',
    status: 'Status',
    id: 'Id',
    sessionStatuses: { open: 'Open', complete: 'Complete', expired: 'Ended' },
  },
};
