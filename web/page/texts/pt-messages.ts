import type { Asking, Message, OfferView } from '../page-data.ts';

/** What a page asks, and the button that answers or leads on. */
export interface AskedWords {
  readonly title: string;
  readonly text: (shop: string) => string;
  readonly button: string;
}

const messages: Readonly<Record<Extract<Message, string>, { title: string; text: string }>> = {
  not_found: {
    title: 'Fatura não encontrada',
    text: 'Confira se o endereço está completo, exatamente como no e-mail que você recebeu, ou fale com a loja.',
  },
  gone: {
    title: 'Esta página não está mais disponível',
    text: 'O prazo para vê-la acabou. Se precisar de ajuda, fale com a loja.',
  },
  no_receipt: {
    title: 'Esta fatura não tem recibo',
    text: 'Nenhum pagamento desta fatura foi confirmado. O recibo aparece neste endereço assim que um pagamento for confirmado.',
  },
  export_gone: {
    title: 'Este arquivo não está mais disponível',
    text: 'Um arquivo exportado fica disponível por 24 horas. Para baixá-lo, exporte de novo.',
  },
};

interface Said {
  readonly title: string;
  readonly text: string | null;
}

/** What a link says that opens no purchase now (docs/product/payment-links.md#the-page). */
const said: Readonly<Record<OfferView['state'], Said>> = {
  selling: { title: 'Comprar', text: null },
  on_hold: {
    title: 'Esgotado por agora',
    text: 'As últimas unidades estão reservadas por outras pessoas. Se alguma desistir, a compra abre de novo: tente daqui a alguns minutos.',
  },
  held: {
    title: 'Há compras demais em aberto',
    text: 'Da sua conexão já há muitas compras em aberto. Conclua uma delas ou tente de novo daqui a uma hora.',
  },
  over: { title: 'Vendas encerradas', text: 'Este link não vende mais. Se tiver dúvidas, fale com a loja.' },
};

const free = (days: number): string =>
  days === 1 ? 'O primeiro dia é grátis.' : `Os primeiros ${days} dias são grátis.`;

const offer = { buy: 'Comprar', again: 'Tentar de novo', free, said };

const questions: Readonly<Record<Asking, AskedWords>> = {
  confirmable: {
    title: 'Confirme o seu e-mail',
    text: (shop) =>
      `Seu endereço foi informado em uma compra em ${shop}. Confirme que ele é seu para receber os avisos de cobrança.`,
    button: 'Confirmar e-mail',
  },
  confirmed: {
    title: 'E-mail confirmado',
    text: (shop) => `Pronto: a partir de agora os avisos de cobrança de ${shop} chegam no seu e-mail.`,
    button: 'Ver a cobrança',
  },
  subscribed: {
    title: 'Avisos por e-mail',
    text: (shop) =>
      `Você pode parar de receber os avisos de ${shop} que não são sobre dinheiro, como o começo ou a mudança de uma assinatura. Cobranças, pagamentos e reembolsos continuam chegando.`,
    button: 'Parar de receber',
  },
  unsubscribed: {
    title: 'Pronto: você não recebe mais esses avisos',
    text: (shop) => `${shop} só escreve para você sobre cobranças, pagamentos e reembolsos.`,
    button: 'Voltar a receber',
  },
};

/** What pages say that show no purchase; no browser needs it. */
export const ptMessages = { messages, offer, questions, notOpened: 'Não foi possível abrir a fatura' };

export type Messages = typeof ptMessages;
