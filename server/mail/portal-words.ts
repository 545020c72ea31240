import type { Words } from './letter.ts';

/** What whoever asked by an address is sent of each merchant that knows it. */
export const wordsOfPortalLink = (link: string): Words => ({
  subject: 'Seu link para ver assinaturas e cobranças',
  lead: 'Você pediu um link para ver suas assinaturas, cobranças e recibos.',
  facts: [],
  advice: 'O link vale por uma hora e pode ser aberto mais de uma vez. Não o encaminhe: quem o abre age por você.',
  action: { name: 'Ver minhas assinaturas', lead: 'Para ver, acesse:', link },
  notes: ['Se não foi você que pediu, não faça nada: sem abrir o link, ninguém vê nem muda nada.'],
});
