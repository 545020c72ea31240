import type { Dispute } from '../../contract/disputes.ts';
import { inReais } from '../kernel/brazil.ts';
import { oneLine } from '../kernel/text.ts';
import type { OfMerchant } from './fact-words.ts';
import type { Words } from './letter.ts';

interface ReturnWords extends OfMerchant {
  readonly amount: number;
  readonly purpose: string;
  readonly method: string;
  readonly isPix: boolean;
}

const RETURNED_TO = {
  pix: ['A conta de onde saiu o PIX', 'Na hora'],
  card: ['em até duas faturas, conforme o banco do cartão'],
} as const;

/** What is told of money that went back. */
export const wordsOfRefund = ({ merchant, amount, purpose, method, isPix }: ReturnWords): Words => ({
  subject: `Reembolso de ${inReais(amount)}`,
  lead: `${oneLine(merchant)} devolveu ${inReais(amount)} do seu pagamento.`,
  facts: [
    ['Referente a', oneLine(purpose)],
    ['Valor devolvido', inReais(amount)],
    ['Devolvido para', isPix ? RETURNED_TO.pix[0] : method],
    ['Prazo', isPix ? RETURNED_TO.pix[1] : RETURNED_TO.card[0]],
  ],
  action: null,
  advice: isPix ? 'O valor já deve estar na sua conta.' : 'O valor aparece como crédito na fatura do cartão.',
  notes: [],
});

/** What is told of money that the bank refused to bring back. */
export const wordsOfRefusedRefund = ({ merchant, amount, purpose }: ReturnWords): Words => ({
  subject: `O reembolso de ${inReais(amount)} não foi concluído`,
  lead: `O banco recusou a devolução de ${inReais(amount)} do seu pagamento a ${oneLine(merchant)}.`,
  facts: [
    ['Referente a', oneLine(purpose)],
    ['Valor', inReais(amount)],
  ],
  action: null,
  advice: 'A loja foi avisada e pode devolver de novo ou de outra forma. Em caso de dúvida, responda a este e-mail.',
  notes: [],
});

/** What is told of a PIX that paid nothing, and went back. */
export const wordsOfSurplus = ({ merchant, amount, purpose }: ReturnWords): Words => ({
  subject: `Devolvemos o seu PIX de ${inReais(amount)}`,
  lead: `O seu PIX de ${inReais(amount)} para ${oneLine(merchant)} foi devolvido: a cobrança já estava paga ou encerrada quando ele chegou.`,
  facts: [
    ['Referente a', oneLine(purpose)],
    ['Valor devolvido', inReais(amount)],
    ['Devolvido para', RETURNED_TO.pix[0]],
  ],
  action: null,
  advice: 'Você não precisa fazer nada.',
  notes: [],
});

const DISPUTES: Readonly<Record<'won' | 'lost' | 'closed', string>> = {
  won: 'O banco decidiu que o pagamento vale: o valor fica com a loja.',
  lost: 'O banco devolveu o valor a você.',
  closed: 'A contestação foi encerrada sem devolução.',
};

const isDecided = (status: Dispute['status']): status is keyof typeof DISPUTES => status in DISPUTES;

/** What is told of the end of a dispute. */
export const wordsOfDispute = ({
  merchant,
  purpose,
  dispute: { amount, status },
}: OfMerchant & { readonly purpose: string; readonly dispute: Pick<Dispute, 'amount' | 'status'> }): Words => ({
  subject: 'A contestação do seu pagamento foi decidida',
  lead: `A contestação do pagamento de ${inReais(amount)} a ${oneLine(merchant)} foi decidida.`,
  facts: [
    ['Referente a', oneLine(purpose)],
    ['Valor', inReais(amount)],
  ],
  action: null,
  advice: isDecided(status) ? DISPUTES[status] : DISPUTES.closed,
  notes: [],
});
