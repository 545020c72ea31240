import type { Catalogue } from '../../texts/catalogue.ts';

const pt = {
  title: 'Desenvolvedor',
  onlyNow: 'Copie agora e guarde em lugar seguro: depois que esta janela fechar ele não é mostrado de novo.',
  kept: 'Já guardei',
  connect: 'Para conectar',
  baseUrl: 'Endereço da API',
  theBaseUrl: 'o endereço da API',
  account: 'Conta',
  theAccount: 'o código da conta',
  health: 'Saúde dos webhooks',
  noEndpoints: 'Nenhum endereço registrado: os eventos são guardados e não são enviados.',
  seeAll: 'Ver todos',
  failed: 'Eventos que não foram entregues',
  noFailed: 'Nenhum evento dos últimos 30 dias ficou sem entrega.',
};

export const developerTexts: Catalogue<typeof pt> = {
  pt,
  en: {
    title: 'Developers',
    onlyNow: 'Copy it now and keep it in a safe place: once this window is closed it is not shown again.',
    kept: 'I have kept it',
    connect: 'To connect',
    baseUrl: 'Address of the API',
    theBaseUrl: 'the address of the API',
    account: 'Account',
    theAccount: 'the id of the account',
    health: 'Health of webhooks',
    noEndpoints: 'No endpoint is registered: events are stored, and not sent.',
    seeAll: 'See all',
    failed: 'Events that were not delivered',
    noFailed: 'No event of the last 30 days was left undelivered.',
  },
};
