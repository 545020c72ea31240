import type { DeclineReason } from '../../contract/errors.ts';
import { civilDate, civilMoment, inReais } from '../kernel/brazil.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Contents, Words } from './letter.ts';

/** Why the buyer of an open invoice is written to. */
export type Occasion =
  | {
      readonly kind: 'reminder';
      /** The day of the settings that it is of. */
      readonly step: number;
      /** Civil days since the due date; before it they are negative. */
      readonly daysLate: number;
      /** Whether others came before it and none comes after it. */
      readonly isLast: boolean;
    }
  | {
      /** The stored card was declined for a renewal. */
      readonly kind: 'declined';
      /** Null where only the acquirer knows it. */
      readonly last4: string | null;
      readonly reason: DeclineReason;
      /** When the card is charged again; null: it is not. */
      readonly againAt: Timestamp | null;
    }
  /** The merchant sends the invoice. */
  | { readonly kind: 'sent' }
  | {
      /** It is debited by mandate on the day that it is due. */
      readonly kind: 'debit_scheduled';
    }
  | {
      readonly kind: 'debit_failed';
      readonly reason: DeclineReason;
      /** When it is tried again; null: it is not. */
      readonly againAt: Timestamp | null;
    }
  /** The buyer, their bank or the merchant ended the mandate of the subscription. */
  | { readonly kind: 'mandate_ended' };

/** Whether a letter leads to how a subscription is paid, and not to a bill. */
export const isAboutMethod = ({ kind }: Occasion): boolean => kind === 'declined' || kind === 'mandate_ended';

/** What a letter tells of an invoice. */
export interface LetterFacts {
  readonly occasion: Occasion;
  readonly liveMode: boolean;
  readonly merchant: string;
  /** What is left to pay. */
  readonly amount: number;
  readonly dueAt: Timestamp;
  readonly purpose: string;
  /** Where it is paid; after a declined card, where another one is given. */
  readonly link: string;
  /** The QR code that stands. */
  readonly code: { readonly copyPaste: string; readonly expiresAt: Timestamp } | null;
  /** Whether a subscription is suspended if it is not paid. */
  readonly suspends: boolean;
}

interface Named extends Pick<LetterFacts, 'suspends'> {
  readonly merchant: string;
  readonly due: string;
}

interface Wording {
  readonly subject: string;
  readonly lead: string;
  readonly advice: string;
}

type Reminder = Extract<Occasion, { kind: 'reminder' }>;

/** A buyer who is so many days late may not know it; after more they are asked to see to it. */
const FORGOTTEN_DAYS = 2;

function ahead({ merchant, due }: Named, days: number): Wording {
  const [subject, when] =
    days === 1 ? [`amanhã, ${due}`, `amanhã, ${due}`] : [`em ${due}`, `em ${days} dias, em ${due}`];
  return {
    subject: `Sua fatura vence ${subject}`,
    lead: `Sua fatura de ${merchant} vence ${when}.`,
    advice: 'Se preferir, você já pode pagar agora.',
  };
}

function late({ merchant, due }: Named, days: number): Wording {
  if (days > FORGOTTEN_DAYS)
    return {
      subject: `Sua fatura está em atraso desde ${due}`,
      lead: `Sua fatura de ${merchant} está em atraso há ${days} dias, desde ${due}.`,
      advice: 'Pedimos, por gentileza, que regularize o pagamento o quanto antes.',
    };
  const since = days === 1 ? `ontem, ${due},` : `há ${days} dias, em ${due},`;
  return {
    subject: `Sua fatura venceu em ${due}`,
    lead: `Sua fatura de ${merchant} venceu ${since} e ainda não identificamos o seu pagamento.`,
    advice: 'Se foi um esquecimento, ainda dá tempo de pagar.',
  };
}

const lastOf = ({ merchant, due, suspends }: Named): Wording => ({
  subject: `Último lembrete: fatura vencida em ${due}`,
  lead: `Este é o último lembrete: sua fatura de ${merchant} venceu em ${due} e continua em aberto.`,
  advice: suspends
    ? 'Para que sua assinatura não seja suspensa, pague hoje mesmo.'
    : 'Pedimos, por gentileza, que pague hoje mesmo.',
});

/** By the civil day on which it is written, whichever day of the settings it is of: it may be late. */
function reminder(named: Named, { daysLate, isLast }: Reminder): Wording {
  if (daysLate < 0) return ahead(named, -daysLate);
  if (daysLate > 0) return isLast ? lastOf(named) : late(named, daysLate);
  const { merchant, due } = named;
  return {
    subject: `Sua fatura vence hoje, ${due}`,
    lead: `Sua fatura de ${merchant} vence hoje, ${due}.`,
    advice: 'Pague hoje e evite o atraso.',
  };
}

const sent = ({ merchant, due }: Named): Wording => ({
  subject: 'Sua fatura',
  lead: `${merchant} enviou uma fatura para você, com vencimento em ${due}.`,
  advice: 'Pague com PIX ou cartão, em poucos passos.',
});

/** As the page says it of a card that was typed in; nobody is told that a fraud was suspected. */
const reasons: Readonly<Record<DeclineReason, string>> = {
  insufficient_funds: 'por falta de saldo ou limite',
  expired_card: 'porque o cartão está vencido',
  invalid_card_data: 'porque os dados do cartão não conferem mais',
  suspected_fraud: 'pelo banco emissor',
  issuer_declined: 'pelo banco emissor',
  processing_error: 'por uma falha no processamento',
};

const cardName = (last4: string | null): string => (last4 === null ? 'cartão' : `cartão final ${last4}`);

const declined = (
  { merchant }: Named,
  { last4, reason, againAt }: Extract<Occasion, { kind: 'declined' }>,
): Wording => ({
  subject: 'Não conseguimos cobrar o seu cartão',
  lead: `A cobrança da sua assinatura de ${merchant} no ${cardName(last4)} foi recusada ${reasons[reason]}.`,
  advice:
    againAt === null
      ? 'Para manter sua assinatura, informe outro cartão ou pague com PIX.'
      : `Vamos tentar de novo em ${civilDate(againAt)}. Para resolver agora, informe outro cartão ou pague com PIX.`,
});

const debitScheduled = ({ merchant, due }: Named): Wording => ({
  subject: `Débito automático em ${due}`,
  lead: `Em ${due} vamos debitar a sua assinatura de ${merchant} pelo Pix Automático que você autorizou.`,
  advice:
    'Você não precisa fazer nada: basta ter saldo na conta. Para cancelar este débito, use o aplicativo do seu banco até a véspera.',
});

const debitReasons: Readonly<Partial<Record<DeclineReason, string>>> = { insufficient_funds: 'por falta de saldo' };

const debitFailed = (
  { merchant }: Named,
  { reason, againAt }: Extract<Occasion, { kind: 'debit_failed' }>,
): Wording => ({
  subject: 'O débito automático não foi feito',
  lead: `O débito da sua assinatura de ${merchant} pelo Pix Automático não foi feito ${debitReasons[reason] ?? 'pelo seu banco'}.`,
  advice:
    againAt === null
      ? 'Para manter sua assinatura, pague esta fatura com PIX ou cartão. O limite do Pix Automático é você quem define, no aplicativo do seu banco.'
      : `Vamos tentar de novo em ${civilDate(againAt)}. Se preferir, pague agora com PIX ou cartão.`,
});

const mandateEnded = ({ merchant }: Named): Wording => ({
  subject: 'O seu Pix Automático foi encerrado',
  lead: `O Pix Automático da sua assinatura de ${merchant} foi encerrado: nada mais será debitado da sua conta.`,
  advice: 'A assinatura continua. As próximas faturas chegam com um QR Code; se preferir, informe um cartão.',
});

function wordingOf(occasion: Occasion, named: Named): Wording {
  switch (occasion.kind) {
    case 'reminder':
      return reminder(named, occasion);
    case 'sent':
      return sent(named);
    case 'declined':
      return declined(named, occasion);
    case 'debit_scheduled':
      return debitScheduled(named);
    case 'debit_failed':
      return debitFailed(named, occasion);
    case 'mandate_ended':
      return mandateEnded(named);
  }
}

/** Where the reader of a letter goes, by the occasion. */
function actionOf({ occasion, link }: LetterFacts): Contents['action'] {
  if (occasion.kind === 'debit_scheduled') return { name: 'Ver a fatura', lead: 'Para ver a fatura, acesse:', link };
  return isAboutMethod(occasion)
    ? { name: 'Atualizar pagamento', lead: 'Para atualizar o pagamento, acesse:', link }
    : { name: 'Pagar agora', lead: 'Para pagar, acesse:', link };
}

/** Of a bill what is owed for it; the end of a mandate is about none. */
function factsOf({ occasion, purpose, amount, dueAt }: LetterFacts): Contents['facts'] {
  const named: Contents['facts'] = [['Referente a', oneLine(purpose)]];
  if (occasion.kind === 'mandate_ended') return named;
  return [...named, ['Valor', inReais(amount)], ['Vencimento', civilDate(dueAt)]];
}

const IF_PAID = 'Se você já pagou, desconsidere esta mensagem.';

function codeOf({ code, liveMode }: LetterFacts): Contents['code'] {
  if (code === null) return null;
  const until = civilMoment(code.expiresAt);
  return {
    lead: liveMode ? 'PIX copia e cola' : 'PIX copia e cola (de teste)',
    value: code.copyPaste,
    note: `Copie o código inteiro e cole no aplicativo do seu banco, em “PIX copia e cola”. Vale até ${until}.`,
  };
}

/** What the buyer of an open invoice is told, in Portuguese. */
export function wordsOfBill(told: LetterFacts): Words {
  const { occasion, suspends } = told;
  const merchant = oneLine(told.merchant);
  const due = civilDate(told.dueAt);
  const isPaidByItself = occasion.kind === 'mandate_ended' || occasion.kind === 'debit_scheduled';
  return {
    ...wordingOf(occasion, { merchant, due, suspends }),
    facts: factsOf(told),
    code: codeOf(told),
    action: actionOf(told),
    notes: isPaidByItself ? [] : [IF_PAID],
  };
}

/** What a letter tells that asks whether an address is its reader's. */
interface Asked {
  readonly merchant: string;
  readonly purpose: string;
  /** Cents; null: nothing is owed yet. */
  readonly amount: number | null;
  readonly link: string;
  /** The link is good until then. */
  readonly until: Timestamp;
}

/** Asks whoever reads what is sent to an address to confirm it, before anything else is written there. */
export const wordsOfConfirmation = ({ merchant, amount, purpose, link, until }: Asked): Words => ({
  subject: 'Confirme o seu e-mail',
  lead: `Este endereço foi informado em uma compra em ${oneLine(merchant)}. Confirme que ele é seu para receber os avisos de cobrança.`,
  facts: [['Referente a', oneLine(purpose)], ...(amount === null ? [] : [['Valor', inReais(amount)] as const])],
  advice: `O link vale até ${civilMoment(until)}.`,
  action: { name: 'Confirmar e-mail', lead: 'Para confirmar, acesse:', link },
  notes: ['Se não foi você, ignore esta mensagem: nenhuma outra será enviada.'],
});
