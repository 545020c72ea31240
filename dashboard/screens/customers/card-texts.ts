import type { Catalogue } from '../../texts/catalogue.ts';

const pt = {
  title: 'Cartões guardados',
  none: 'Nenhum cartão guardado.',
  default: 'Padrão',
  closed: 'Encerrado pelo emissor',
  expires: (month: string) => `Vence em ${month}`,
  uses: (count: number) => (count === 0 ? 'nenhuma assinatura' : count === 1 ? '1 assinatura' : `${count} assinaturas`),
  makeDefault: 'Tornar padrão',
  isDefault: 'É o cartão padrão deste cliente.',
  inUse: 'Uma assinatura é cobrada neste cartão: troque-o antes.',
  delete: 'Apagar cartão',
  deleteTitle: (card: string) => `Apagar ${card}?`,
  deleteText: 'O cartão é apagado também na adquirente. O que ele pagou ainda pode ser devolvido.',
  deleted: 'Cartão apagado.',
};

export const cardTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Stored cards',
    none: 'No card is stored.',
    default: 'Default',
    closed: 'Closed by its issuer',
    expires: (month) => `Expires ${month}`,
    uses: (count) => (count === 0 ? 'no subscription' : count === 1 ? '1 subscription' : `${count} subscriptions`),
    makeDefault: 'Make default',
    isDefault: 'It is the default card of this customer.',
    inUse: 'A subscription is charged to this card: change that first.',
    delete: 'Delete card',
    deleteTitle: (card) => `Delete ${card}?`,
    deleteText: 'The card is deleted at the acquirer too. What it paid can still be returned.',
    deleted: 'Card deleted.',
  },
};
