import type { Mandate } from '@fatura/sdk';
import type { Catalogue } from './catalogue.ts';

const pt = {
  title: 'Pix Automático',
  statuses: {
    pending: 'Espera a autorização',
    active: 'Autorizado',
    failed: 'Não autorizado',
    ended: 'Encerrado',
  } satisfies Record<Mandate['status'], string>,
  reasons: {
    rejected: 'o cliente recusou',
    expired: 'o prazo acabou',
    cancelled_by_payer: 'o cliente encerrou',
    cancelled_by_payer_bank: 'o banco do cliente encerrou',
    cancelled_by_merchant: 'vocês encerraram',
    cancelled_by_bank: 'o banco de vocês encerrou',
    subscription_ended: 'a assinatura acabou',
    replaced: 'outra forma de pagar o substituiu',
  } satisfies Record<NonNullable<Mandate['end_reason']>, string>,
  any: 'valor de cada cobrança',
  fixed: (amount: string) => `sempre ${amount}`,
  since: (day: string) => `desde ${day}`,
  asked: (day: string) => `pedido em ${day}`,
  until: (day: string) => `até ${day}`,
  subscription: 'assinatura',
  end: 'Encerrar autorização',
  endTitle: 'Encerrar o Pix Automático?',
  endText:
    'A autorização é encerrada também no banco do cliente, e os débitos agendados são cancelados. As próximas cobranças chegam por e-mail, com QR code. Só o cliente pode autorizar de novo.',
  ended: 'Autorização encerrada.',
};

export const mandateTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Pix Automático',
    statuses: {
      pending: 'Waits for authorisation',
      active: 'Authorised',
      failed: 'Not authorised',
      ended: 'Ended',
    },
    reasons: {
      rejected: 'the customer declined',
      expired: 'its time ran out',
      cancelled_by_payer: 'the customer ended it',
      cancelled_by_payer_bank: 'the bank of the customer ended it',
      cancelled_by_merchant: 'you ended it',
      cancelled_by_bank: 'your bank ended it',
      subscription_ended: 'the subscription ended',
      replaced: 'another way to pay replaced it',
    },
    any: 'the amount of each bill',
    fixed: (amount) => `always ${amount}`,
    since: (day) => `since ${day}`,
    asked: (day) => `asked for on ${day}`,
    until: (day) => `until ${day}`,
    subscription: 'subscription',
    end: 'End authorisation',
    endTitle: 'End Pix Automático?',
    endText:
      'The authorisation ends at the bank of the customer too, and scheduled debits are cancelled. The next bills come by e-mail, with a QR code. Only the customer can authorise again.',
    ended: 'Authorisation ended.',
  },
};
