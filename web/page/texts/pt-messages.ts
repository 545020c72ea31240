import type { Message, OfferView } from '../page-data.ts';

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

const offer = { buy: 'Comprar', again: 'Tentar de novo', said };

/** What pages say that show no purchase; no browser needs it. */
export const ptMessages = { messages, offer, notOpened: 'Não foi possível abrir a fatura' };

export type Messages = typeof ptMessages;
