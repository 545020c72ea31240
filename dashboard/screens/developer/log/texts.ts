import type { AuditActorKind } from '@fatura/sdk';
import type { Catalogue } from '../../../texts/catalogue.ts';

const pt = {
  title: 'Auditoria',
  about:
    'Quem fez o quê na conta, para sempre: pessoas, chaves de API, operadores e o próprio serviço. Segredos não aparecem e dados pessoais vêm mascarados.',
  list: 'Registros de auditoria',
  action: 'O que foi feito',
  actor: 'Quem',
  actorHint: 'Código de quem fez',
  object: 'Objeto',
  objectHint: 'Código do objeto',
  when: 'Quando',
  kinds: { api_key: 'Chave de API', staff: 'Pessoa', operator: 'Operador', service: 'O serviço' } satisfies Record<
    AuditActorKind,
    string
  >,
  by: (kind: string, name: string) => `${kind} ${name}`,
  id: 'Código',
  theId: 'o código do objeto',
  onlyActor: 'Só de quem fez isto',
  onlyObject: 'Só deste objeto',
  from: 'De onde',
  request: 'Pedido',
  theRequest: 'o código do pedido',
  changes: 'O que mudou',
  field: 'Campo',
  before: 'Antes',
  after: 'Depois',
  noChanges: 'Este registro não guarda valores.',
  yes: 'sim',
  no: 'não',
  bothModes: 'Vale para teste e produção',
};

export type AuditLogTexts = typeof pt;

export const auditLogTexts: Catalogue<AuditLogTexts> = {
  pt,
  en: {
    title: 'Audit log',
    about:
      'Who did what to the account, for ever: people, API keys, operators and the service itself. Secrets are hidden and personal data masked.',
    list: 'Entries of the audit log',
    action: 'What was done',
    actor: 'Who',
    actorHint: 'Id of who did it',
    object: 'Object',
    objectHint: 'Id of the object',
    when: 'When',
    kinds: { api_key: 'API key', staff: 'Person', operator: 'Operator', service: 'The service' },
    by: (kind, name) => `${kind} ${name}`,
    id: 'Id',
    theId: 'the id of the object',
    onlyActor: 'Only what the same did',
    onlyObject: 'Only of this object',
    from: 'From where',
    request: 'Request',
    theRequest: 'the id of the request',
    changes: 'What changed',
    field: 'Field',
    before: 'Before',
    after: 'After',
    noChanges: 'This entry keeps no values.',
    yes: 'yes',
    no: 'no',
    bothModes: 'Of test and live mode',
  },
};
