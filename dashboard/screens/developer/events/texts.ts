import type { Catalogue } from '../../../texts/catalogue.ts';

const pt = {
  title: 'Eventos',
  about: 'Tudo o que acontece na conta, por 30 dias, tenha sido enviado ou não.',
  list: 'Eventos',
  what: 'O que aconteceu',
  type: 'Tipo',
  when: 'Quando',
  object: 'Objeto',
  objectHint: 'Código: in_…, sub_…, cus_…',
  delivery: 'Entrega',
  id: 'Código',
  theId: 'o código do evento',
  body: 'Corpo enviado',
  theBody: 'o corpo do evento',
  noDeliveries: 'Nenhum endereço assinava este tipo quando aconteceu.',
  resendToAll: 'Reenviar a todos',
  resent: 'Reenvio a caminho de quem assina este tipo.',
  gone: 'endereço excluído',
};

export const developerEventTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Events',
    about: 'Whatever happened on the account, for 30 days, whether it was sent or not.',
    list: 'Events',
    what: 'What happened',
    type: 'Type',
    when: 'When',
    object: 'Object',
    objectHint: 'Id: in_…, sub_…, cus_…',
    delivery: 'Delivery',
    id: 'Id',
    theId: 'the id of the event',
    body: 'Body that is sent',
    theBody: 'the body of the event',
    noDeliveries: 'No endpoint subscribed to this type when it happened.',
    resendToAll: 'Send to all again',
    resent: 'It is sent again to those that subscribe to this type.',
    gone: 'deleted endpoint',
  },
};
