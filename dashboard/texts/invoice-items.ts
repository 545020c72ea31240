import type { InvoiceItemType, LineKind } from '@fatura/sdk';
import type { Catalogue } from './catalogue.ts';

const pt = {
  kinds: {
    one_time: null,
    recurring: null,
    setup: 'taxa de adesão',
    proration: 'ajuste proporcional',
    penalty: 'multa',
    late_fine: 'multa por atraso',
    late_interest: 'juros por atraso',
  } as Readonly<Record<LineKind, string | null>>,
  discount: (name: string) => `Desconto: ${name}`,
  title: 'Lançamentos',
  none: 'Nada espera pela próxima fatura.',
  add: 'Lançar cobrança ou crédito',
  type: 'Tipo',
  types: { charge: 'Cobrança', credit: 'Crédito' } satisfies Record<InvoiceItemType, string>,
  amount: 'Valor',
  amountWrong: (most: string) => `Informe um valor entre R$ 0,01 e ${most}.`,
  description: 'Descrição',
  descriptionHint: 'O cliente a lê na próxima fatura.',
  save: 'Lançar',
  saved: 'Lançado para a próxima fatura.',
  undo: 'Desfazer',
  undoOf: (description: string) => `Desfazer: ${description}`,
  undoText: (amount: string, description: string) => `${description}, ${amount}: não entra mais na próxima fatura.`,
  undone: 'Lançamento desfeito.',
};

export type InvoiceItemTexts = typeof pt;

export const invoiceItemTexts: Catalogue<InvoiceItemTexts> = {
  pt,
  en: {
    kinds: {
      one_time: null,
      recurring: null,
      setup: 'setup fee',
      proration: 'proration',
      penalty: 'penalty',
      late_fine: 'late fine',
      late_interest: 'late interest',
    },
    discount: (name) => `Discount: ${name}`,
    title: 'Charges and credits',
    none: 'Nothing waits for the next invoice.',
    add: 'Add a charge or a credit',
    type: 'Type',
    types: { charge: 'Charge', credit: 'Credit' },
    amount: 'Amount',
    amountWrong: (most) => `Enter an amount from R$0.01 to ${most}.`,
    description: 'Description',
    descriptionHint: 'The customer reads it on the next invoice.',
    save: 'Add',
    saved: 'Added to the next invoice.',
    undo: 'Take back',
    undoOf: (description) => `Take back: ${description}`,
    undoText: (amount, description) => `${description}, ${amount}: not part of the next invoice any more.`,
    undone: 'Taken back.',
  },
};
