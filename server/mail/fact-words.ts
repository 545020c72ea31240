import type { Subscription } from '../../contract/subscriptions.ts';
import { civilDate, civilMoment, inPercent, inReais } from '../kernel/brazil.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Contents, Words } from './letter.ts';

/** A payment in the words of its letter. */
export interface PaymentWords {
  readonly amount: number;
  /** What was paid for. */
  readonly purpose: string;
  /** `PIX`, `Visa final 1111 em 3x`. */
  readonly method: string;
  readonly paidAt: Timestamp;
  /** When the subscription is charged next; null: it is not. */
  readonly nextCharge: Timestamp | null;
  readonly receipt: string;
  /** Whether the receipt comes with the letter. */
  readonly isAttached: boolean;
}

/** What a subscription is, in the words of its letter. */
export interface PlanWords {
  /** `Plano Ouro, 2 × Usuário`. */
  readonly name: string;
  /** `R$ 99,90 por mês`. */
  readonly price: string;
}

export interface OfMerchant {
  readonly merchant: string;
}

/** What a letter reads of a subscription. */
type ToldSubscription = Pick<
  Subscription,
  | ('trial_end' | 'trial_end_behavior' | 'payment_method_type' | 'pending_change')
  | ('current_period_end' | 'cancel_at' | 'cancel_at_period_end' | 'ended' | 'canceled_reason')
  | ('discounts' | 'minimum_term')
>;

/** The bill that an end brings, such as the penalty of one before the minimum term. */
interface LastBill {
  readonly amount: number;
  /** Where it is paid. */
  readonly link: string;
}

export interface SubscriptionWords extends OfMerchant {
  readonly subscription: ToldSubscription;
  readonly plan: PlanWords;
  readonly payment: PaymentWords | null;
  /** Where its buyer sees how it is paid, and pays what is open. */
  readonly link: string;
  /** Whether a buyer ends it by themselves, and takes that back. */
  readonly isByBuyer: boolean;
  /** Null: it brings none, or does not end. */
  readonly lastBill: LastBill | null;
}

type Facts = Contents['facts'];

const receiptOf = ({ receipt }: PaymentWords): Contents['action'] => ({
  name: 'Ver recibo',
  lead: 'Para ver o recibo, acesse:',
  link: receipt,
});

const adviceOf = ({ isAttached }: PaymentWords): string =>
  isAttached ? 'O recibo em PDF está anexado a este e-mail.' : 'O recibo fica disponível no link acima, também em PDF.';

const factsOfPayment = ({ amount, method, paidAt, nextCharge }: PaymentWords): Facts => [
  ['Valor pago', inReais(amount)],
  ['Forma de pagamento', method],
  ['Pago em', civilMoment(paidAt)],
  ...(nextCharge === null ? [] : [['Próxima cobrança', civilDate(nextCharge)] as const]),
];

/** What the buyer of a payment is told. */
export function wordsOfPayment({ merchant, payment }: OfMerchant & { readonly payment: PaymentWords }): Words {
  return {
    subject: `Pagamento confirmado: ${inReais(payment.amount)}`,
    lead: `Recebemos o seu pagamento de ${inReais(payment.amount)} para ${oneLine(merchant)}.`,
    facts: [['Referente a', oneLine(payment.purpose)], ...factsOfPayment(payment)],
    action: receiptOf(payment),
    advice: adviceOf(payment),
    notes: [],
  };
}

const seeSubscription = (link: string): Contents['action'] => ({
  name: 'Ver assinatura',
  lead: 'Para ver a assinatura, acesse:',
  link,
});

const bills = (count: number): string => (count === 1 ? 'na primeira cobrança' : `nas ${count} primeiras cobranças`);

/** What is taken off the price, and how long. */
const discountsOf = ({ discounts }: ToldSubscription): Facts =>
  discounts.data.map(({ amount, percentage, cycles }) => {
    const off = amount === null ? inPercent(percentage ?? 0) : inReais(amount);
    return ['Desconto', cycles === null ? off : `${off} ${bills(cycles)}`];
  });

const planOf = ({ plan: { name, price }, subscription }: SubscriptionWords): Facts => [
  ['Plano', oneLine(name)],
  ['Preço', price],
  ...discountsOf(subscription),
];

/** A letter of a subscription; with a payment it leads to the receipt. */
function wordsOf(
  told: SubscriptionWords,
  said: { readonly subject: string; readonly lead: string; readonly facts?: Facts },
): Words {
  const { facts = [], ...rest } = said;
  const { payment, link } = told;
  return {
    ...rest,
    facts: [...planOf(told), ...facts, ...(payment === null ? [] : factsOfPayment(payment))],
    action: payment === null ? seeSubscription(link) : receiptOf(payment),
    advice: payment === null ? 'Na página da assinatura você troca a forma de pagamento.' : adviceOf(payment),
    notes: [],
  };
}

const begun = (told: SubscriptionWords): Words =>
  wordsOf(told, {
    subject: 'Sua assinatura começou',
    lead: `Sua assinatura de ${oneLine(told.merchant)} está ativa.`,
    facts: told.payment === null ? nextOf(told) : [],
  });

const nextOf = ({ subscription: { current_period_end: end } }: SubscriptionWords): Facts =>
  end === null ? [] : [['Próxima cobrança', civilDate(end)]];

/** What comes when a trial ends. */
function behindTrial({ trial_end_behavior: behavior, payment_method_type: method }: ToldSubscription): string {
  if (method !== null) return 'No fim do teste, a primeira cobrança é feita na forma de pagamento que você escolheu.';
  if (behavior === 'invoice') return 'No fim do teste, você recebe a primeira fatura por e-mail.';
  return behavior === 'pause'
    ? 'No fim do teste, a assinatura fica pausada até você informar uma forma de pagamento.'
    : 'No fim do teste, a assinatura é encerrada se você não informar uma forma de pagamento.';
}

function afterTrial({ subscription, plan: { price } }: SubscriptionWords): Facts {
  const { trial_end: end } = subscription;
  if (end === null) return [];
  return [['Grátis até', civilDate(end)], [`A partir de ${civilDate(end)}`, price], ...discountsOf(subscription)];
}

const trialBegun = (told: SubscriptionWords): Words => ({
  ...wordsOf(told, {
    subject: 'Seu teste grátis começou',
    lead: `Seu teste grátis de ${oneLine(told.plan.name)} em ${oneLine(told.merchant)} começou.`,
  }),
  facts: [['Plano', oneLine(told.plan.name)], ['Hoje', inReais(0)], ...afterTrial(told)],
  advice: behindTrial(told.subscription),
});

const trialEnding = (told: SubscriptionWords): Words => ({
  ...wordsOf(told, {
    subject: `Seu teste grátis termina em ${civilDate(told.subscription.trial_end ?? 0)}`,
    lead: `Seu teste grátis de ${oneLine(told.plan.name)} em ${oneLine(told.merchant)} está perto do fim.`,
  }),
  facts: [['Plano', oneLine(told.plan.name)], ...afterTrial(told)],
  advice: behindTrial(told.subscription),
});

function planChanged(told: SubscriptionWords): Words {
  const { pending_change: pending } = told.subscription;
  const from = pending?.status === 'scheduled' ? civilDate(pending.effective_at) : null;
  return wordsOf(told, {
    subject: from === null ? 'Sua assinatura mudou' : `Sua assinatura muda em ${from}`,
    lead:
      from === null
        ? `Sua assinatura de ${oneLine(told.merchant)} mudou, e já vale o novo plano.`
        : `Sua assinatura de ${oneLine(told.merchant)} passa a ser outra em ${from}. Até lá nada muda.`,
    facts: [['Vale a partir de', from ?? 'agora'], ...(told.payment === null ? nextOf(told) : [])],
  });
}

const suspended = (told: SubscriptionWords): Words => ({
  ...wordsOf(told, {
    subject: 'Sua assinatura foi suspensa',
    lead: `Sua assinatura de ${oneLine(told.merchant)} foi suspensa por falta de pagamento.`,
  }),
  action: { name: 'Pagar e reativar', lead: 'Para pagar e reativar, acesse:', link: told.link },
  advice: 'Assim que a fatura em aberto for paga, com PIX ou cartão, a assinatura volta na hora.',
});

const reactivated = (told: SubscriptionWords): Words =>
  wordsOf(told, {
    subject: 'Sua assinatura está ativa de novo',
    lead: `Sua assinatura de ${oneLine(told.merchant)} está ativa de novo. Obrigado!`,
    facts: told.payment === null ? nextOf(told) : [],
  });

const WHY_ENDED: Readonly<Partial<Record<NonNullable<Subscription['canceled_reason']>, string>>> = {
  unpaid: ' porque a fatura não foi paga',
  trial_ended: ' com o fim do teste grátis',
  withdrawal: ' por desistência dentro do prazo legal',
};

/** What an end to come leaves to do, and costs. */
function adviceAhead({ subscription, isByBuyer }: SubscriptionWords): string {
  const { cancel_at_period_end: isOfPeriod, cancel_at: at, minimum_term: term } = subscription;
  const undo =
    isOfPeriod && isByBuyer
      ? 'Mudou de ideia? Desfaça o cancelamento antes dessa data pelo link no fim deste e-mail.'
      : 'Mudou de ideia? Fale com a loja antes dessa data: basta responder a este e-mail.';
  const until = term?.ends_at ?? null;
  if (until === null || at === null || at >= until) return undo;
  return `O prazo mínimo vai até ${civilDate(until)}: a multa do contrato vem na última fatura, a não ser que a loja a dispense. ${undo}`;
}

function cancelAhead(told: SubscriptionWords, at: Timestamp): Words {
  const day = civilDate(at);
  return {
    subject: `Sua assinatura termina em ${day}`,
    lead: `O cancelamento da sua assinatura de ${oneLine(told.merchant)} foi registrado. Ela vale até ${day} e não renova.`,
    facts: [
      ['Plano', oneLine(told.plan.name)],
      ['Termina em', day],
    ],
    action: seeSubscription(told.link),
    advice: adviceAhead(told),
    notes: [],
  };
}

function canceled(told: SubscriptionWords): Words {
  const { cancel_at: at, ended, canceled_reason: why } = told.subscription;
  if (ended === null && at !== null) return cancelAhead(told, at);
  const { lastBill } = told;
  return {
    subject: `Sua assinatura foi encerrada${lastBill === null ? '' : `: última fatura de ${inReais(lastBill.amount)}`}`,
    lead: `Sua assinatura de ${oneLine(told.merchant)} foi encerrada${why === null ? '' : (WHY_ENDED[why] ?? '')}.`,
    facts: [
      ['Plano', oneLine(told.plan.name)],
      ['Encerrada em', civilDate(ended ?? 0)],
      ...(lastBill === null ? [] : [['Última fatura', inReais(lastBill.amount)] as const]),
    ],
    action:
      lastBill === null
        ? null
        : { name: 'Ver a última fatura', lead: 'Para ver a última fatura, acesse:', link: lastBill.link },
    advice:
      lastBill === null
        ? 'Nenhuma nova cobrança será feita. Se foi engano, fale com a loja: basta responder a este e-mail.'
        : 'Depois da última fatura, nenhuma outra cobrança será feita. Dúvidas? Fale com a loja: basta responder a este e-mail.',
    notes: [],
  };
}

/** What the buyer of a subscription is told, by what became of it. */
export const wordsOfSubscription = {
  subscription_begun: begun,
  trial_begun: trialBegun,
  trial_ending: trialEnding,
  plan_changed: planChanged,
  suspended,
  reactivated,
  canceled,
} as const satisfies Record<string, (told: SubscriptionWords) => Words>;

export interface RenewalWords extends SubscriptionWords {
  readonly amount: number;
  readonly on: Timestamp;
  /** The day of the first reminder of its bill, counted from the due date; null: nobody reminds. */
  readonly firstReminder: number | null;
}

/** When a bill that is paid by hand comes. */
function codeComes(firstReminder: number | null): string {
  if (firstReminder === null || firstReminder > 0) return 'O QR Code da fatura fica na página da assinatura.';
  if (firstReminder === 0) return 'A fatura com o QR Code chega por e-mail no dia do vencimento.';
  const days = firstReminder === -1 ? '1 dia' : `${-firstReminder} dias`;
  return `A fatura com o QR Code chega por e-mail ${days} antes do vencimento.`;
}

/** What the buyer of a subscription is told ahead of a renewal. */
export function wordsOfRenewal(told: RenewalWords): Words {
  const day = civilDate(told.on);
  return {
    ...wordsOf(told, {
      subject: `Sua assinatura renova em ${day}`,
      lead: `Sua assinatura de ${oneLine(told.merchant)} renova em ${day}.`,
      facts: [
        ['Renova em', day],
        ['Valor', inReais(told.amount)],
      ],
    }),
    advice:
      told.subscription.payment_method_type === 'card' || told.subscription.payment_method_type === 'pix_automatico'
        ? 'A cobrança é feita na forma de pagamento atual; na página da assinatura você troca.'
        : codeComes(told.firstReminder),
  };
}
