import type { Catalogue } from '../../texts/catalogue.ts';

const pt = {
  title: 'Início',
  needs: 'O que precisa de você',
  nothing: 'Nada precisa de você agora.',
  waiting: (count: number) =>
    count === 1 ? '1 contestação espera a sua resposta' : `${count} contestações esperam a sua resposta`,
  disputes: (count: number) =>
    count === 1 ? '1 contestação nos últimos 7 dias' : `${count} contestações nos últimos 7 dias`,
  declines: (count: number) => (count === 1 ? '1 cobrança recusada hoje' : `${count} cobranças recusadas hoje`),
  overdue: (count: number) => (count === 1 ? '1 fatura vencida em aberto' : `${count} faturas vencidas em aberto`),
  suspended: (count: number) =>
    count === 1
      ? '1 assinatura suspensa por falta de pagamento'
      : `${count} assinaturas suspensas por falta de pagamento`,
  unstable: (count: number) => (count === 1 ? '1 webhook está falhando' : `${count} webhooks estão falhando`),
  undelivered: 'Há eventos dos últimos 7 dias que não foram entregues',
  today: (received: string, due: string) => `Hoje entraram ${received}, e vencem ${due} em aberto.`,
  toSales: 'Ver as vendas',
  firstSteps: 'Primeiros passos',
  firstStepsText: 'Neste ambiente nada é de verdade: experimente uma venda do começo ao fim.',
  done: 'feito',
  charge: '1. Faça uma cobrança',
  chargeText: 'Para alguém com nome e CPF, de qualquer valor.',
  toCharge: 'Criar cobrança',
  pay: '2. Pague-a como o comprador',
  payText: 'Abra o link de pagamento da fatura, ou simule o PIX.',
  toSandbox: 'Abrir a simulação',
  toInvoice: 'Abrir a fatura',
  refund: '3. Devolva o dinheiro',
  refundText: 'Na fatura paga, em Devolver: tudo ou uma parte.',
};

export const startTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Home',
    needs: 'What needs you',
    nothing: 'Nothing needs you now.',
    waiting: (count) => (count === 1 ? '1 dispute waits for your answer' : `${count} disputes wait for your answer`),
    disputes: (count) => (count === 1 ? '1 dispute in the last 7 days' : `${count} disputes in the last 7 days`),
    declines: (count) => (count === 1 ? '1 charge declined today' : `${count} charges declined today`),
    overdue: (count) => (count === 1 ? '1 open invoice is overdue' : `${count} open invoices are overdue`),
    suspended: (count) =>
      count === 1
        ? '1 subscription suspended for lack of payment'
        : `${count} subscriptions suspended for lack of payment`,
    unstable: (count) => (count === 1 ? '1 webhook is failing' : `${count} webhooks are failing`),
    undelivered: 'Some events of the last 7 days were not delivered',
    today: (received, due) => `Today ${received} came in, and ${due} are due and open.`,
    toSales: 'See the sales',
    firstSteps: 'First steps',
    firstStepsText: 'Nothing is real in this mode: try a sale from beginning to end.',
    done: 'done',
    charge: '1. Make a charge',
    chargeText: 'For somebody with a name and a CPF, of any amount.',
    toCharge: 'Make a charge',
    pay: '2. Pay it as the buyer',
    payText: 'Open the payment link of the invoice, or simulate the PIX.',
    toSandbox: 'Open the simulation',
    toInvoice: 'Open the invoice',
    refund: '3. Return the money',
    refundText: 'On the paid invoice, by Refund: all or a part.',
  },
};
