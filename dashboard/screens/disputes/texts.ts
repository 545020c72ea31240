import type { DisputeFunds, DisputeReason, DisputeStatus } from '@fatura/sdk';
import type { Catalogue } from '../../texts/catalogue.ts';

const pt = {
  title: 'Contestações',
  about: 'Dinheiro que o banco retirou, ou pode retirar, sem que você devolvesse.',
  one: (amount: string) => `Contestação de ${amount}`,
  created: 'Aberta em',
  closed: 'Encerrada em',
  customer: 'Cliente',
  reason: 'Motivo',
  amount: 'Valor',
  funds: 'Dinheiro',
  due: 'Prazo de resposta',
  noDue: 'Não há',
  status: 'Situação',
  links: 'Ver também',
  invoice: 'Fatura',
  payment: 'Pagamento',
  paidAt: 'Pago em',
  subscription: 'Assinatura',
  kind: 'Tipo',
  kinds: {
    med: 'MED (PIX devolvido pelo banco)',
    chargeback: 'Chargeback do cartão',
    inquiry: 'Consulta do emissor do cartão',
  },
  id: 'Código',
  theId: 'o código da contestação',
  statuses: {
    needs_response: 'Espera sua resposta',
    under_review: 'Em análise',
    lost: 'Perdida',
    won: 'Ganha',
    closed: 'Encerrada',
  } satisfies Record<DisputeStatus, string>,
  fundsNames: {
    none: 'Não saiu da conta',
    withdrawn: 'Retirado pelo banco',
    reinstated: 'Voltou para a conta',
  } satisfies Record<DisputeFunds, string>,
  reasons: {
    fraud: 'Fraude',
    operational_error: 'Erro do banco pagador',
    automatic_debit: 'Débito não autorizado',
    returned_at_bank: 'Devolvido no app do banco',
    general: 'Não informado',
  } satisfies Record<DisputeReason, string>,
  aboutOne: 'Contestação',
  what: 'O que houve',
  stories: {
    fraud:
      'O banco do pagador diz que ele foi enganado, ou que outra pessoa usou a conta dele. O seu banco devolveu o dinheiro.',
    operational_error: 'Um banco pagou este PIX por engano, e o seu banco devolveu o dinheiro.',
    automatic_debit: 'O pagador diz que não autorizou este débito, e o seu banco devolveu o dinheiro.',
    returned_at_bank:
      'O dinheiro foi devolvido na própria conta bancária, por exemplo no aplicativo do banco, e não por aqui.',
    general:
      'O banco do portador do cartão tomou o dinheiro de volta para ele (chargeback), e a adquirente não disse por quê.',
  } satisfies Record<DisputeReason, string>,
  cardStory: 'O emissor do cartão pergunta por este pagamento ou reclama o dinheiro.',
  given: 'Depois o banco desfez a devolução: o dinheiro é seu de novo.',
  todo: 'O que você pode fazer',
  med: {
    noAnswer: 'Não há defesa a enviar por aqui: no MED os bancos decidem entre si, e só avisam no fim.',
    object:
      'Não concorda? Fale com o seu banco, com as provas da venda e da entrega. Só ele pode desfazer a devolução; se desfizer, isto aparece aqui.',
    deliver: 'Ainda não entregou? Espere: este valor não está mais na sua conta.',
    ownReturn:
      'Confira quem fez a devolução no banco. Devoluções feitas por aqui avisam o comprador e ficam na fatura.',
    subscription: 'A assinatura continua, e a fatura segue paga. Se não quiser mais atender, cancele a assinatura.',
    noRefund: 'Não devolva este valor outra vez. Se o banco retirou só uma parte, o resto ainda pode ser devolvido.',
  },
  won: 'Nada. O dinheiro voltou, e pode ser devolvido ao comprador se você quiser.',
  answer:
    'Envie a defesa no portal da sua adquirente, com nota, comprovante de entrega e conversas, dentro do prazo. Por aqui não se envia defesa.',
  wait: 'Espere: o banco está decidindo. O resultado aparece aqui.',
  over: 'Nada: terminou sem mover dinheiro.',
  timeline: 'Linha do tempo',
};

export type DisputeTexts = typeof pt;

export const disputeTexts: Catalogue<DisputeTexts> = {
  pt,
  en: {
    title: 'Disputes',
    about: 'Money that the bank took, or may take, without a refund of yours.',
    one: (amount) => `Dispute of ${amount}`,
    created: 'Opened at',
    closed: 'Closed at',
    customer: 'Customer',
    reason: 'Reason',
    amount: 'Amount',
    funds: 'Money',
    due: 'Answer until',
    noDue: 'None',
    status: 'Status',
    links: 'See also',
    invoice: 'Invoice',
    payment: 'Payment',
    paidAt: 'Paid at',
    subscription: 'Subscription',
    kind: 'Kind',
    kinds: {
      med: 'MED (PIX returned by the bank)',
      chargeback: 'Chargeback of the card',
      inquiry: 'Inquiry of the card issuer',
    },
    id: 'Id',
    theId: 'the id of the dispute',
    statuses: {
      needs_response: 'Waits for your answer',
      under_review: 'Under review',
      lost: 'Lost',
      won: 'Won',
      closed: 'Closed',
    },
    fundsNames: { none: 'Never left', withdrawn: 'Taken by the bank', reinstated: 'Back in the account' },
    reasons: {
      fraud: 'Fraud',
      operational_error: 'Error of the paying bank',
      automatic_debit: 'Debit not agreed to',
      returned_at_bank: 'Returned in the bank’s app',
      general: 'Not told',
    },
    aboutOne: 'Dispute',
    what: 'What happened',
    stories: {
      fraud:
        'The payer’s bank says that the payer was deceived, or that somebody else used the account. Your bank returned the money.',
      operational_error: 'A bank paid this PIX by mistake, and your bank returned the money.',
      automatic_debit: 'The payer says that this debit was not agreed to, and your bank returned the money.',
      returned_at_bank:
        'The money was returned at the bank account itself, in the app of the bank for instance, and not here.',
      general: 'The bank of the card’s holder took the money back (chargeback), and the acquirer did not say why.',
    },
    cardStory: 'The issuer of the card asks about this payment, or claims the money.',
    given: 'Later the bank took the return back: the money is yours again.',
    todo: 'What you can do',
    med: {
      noAnswer:
        'There is no evidence to send here: in the MED the banks decide between themselves, and tell the end alone.',
      object:
        'Do you object? Talk to your bank, with proof of the sale and the delivery. Only the bank can take the return back; if it does, you see it here.',
      deliver: 'Not delivered yet? Wait: this amount is no longer in your account.',
      ownReturn: 'Find out who returned it at the bank. Refunds made here tell the buyer, and stand on the invoice.',
      subscription: 'The subscription goes on, and the invoice stays paid. If you no longer want to serve, cancel it.',
      noRefund: 'Do not return this amount again. If the bank took only a part, the rest can still be refunded.',
    },
    won: 'Nothing. The money is back, and can be refunded to the buyer if you wish.',
    answer:
      'Send your evidence in the portal of your acquirer, with invoice, proof of delivery and messages, in time. No evidence is sent here.',
    wait: 'Wait: the bank is deciding. The outcome appears here.',
    over: 'Nothing: it ended without moving money.',
    timeline: 'Timeline',
  },
};
