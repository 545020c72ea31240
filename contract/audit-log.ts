import { z } from 'zod';
import { field, listOf, meta, named, objectName, pageQuery, timestamp, typeId } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';
import { text } from './texts.ts';

const ACTION_MAX = 100;
const ID_MAX = 100;

const EXAMPLES = {
  action: 'api_key.created',
  objectId: 'key_01kaj4w2n8e9r7t5v3x1z0q6d4',
  requestId: 'req_01kaj4w2n8e9r7t5v3x1z0q6d4',
};

export const auditActorKinds = ['api_key', 'staff', 'operator', 'service'] as const;
const AuditActorKind = named(
  'AuditActorKind',
  auditActorKinds,
  'Who did it: an API key, a person of the account, an operator of the service, or the service by itself.',
);

/** What stands of an object: plain values by their names. */
const state = (description: string, example: object) =>
  field(z.record(z.string(), z.unknown()).nullable(), description, example);

export const AuditActor = z
  .object({
    kind: field(AuditActorKind, 'What it is.', 'api_key'),
    id: field(z.string(), 'Its id, such as that of a key; of an operator its name.', EXAMPLES.objectId),
    name: field(z.string().nullable(), 'Its name when it did it; null when none was told.', null),
  })
  .meta({ id: 'AuditActor', description: 'Who did it.' });

export type AuditActor = z.output<typeof AuditActor>;

export const AuditLogEntry = z
  .object({
    id: typeId('log', 'Identifier of the entry.'),
    object: objectName('audit_log_entry'),
    created: timestamp('When it was done, in real time.'),
    actor: AuditActor,
    action: field(z.string(), 'What was done: the kind of object, and what became of it.', EXAMPLES.action),
    object_id: field(z.string().nullable(), 'The object; null when it is none in particular.', EXAMPLES.objectId),
    before: state('What of the object was another before; null when there was nothing.', { name: 'ERP' }),
    after: state('The same afterwards; null when nothing is left, or nothing was changed.', { name: 'ERP da matriz' }),
    from: z
      .object({
        host: field(z.string().nullable(), 'The machine of an operator; null otherwise.', null),
        address: field(z.string().nullable(), 'The IP address; null when none was told.', '203.0.113.7'),
      })
      .meta({ id: 'AuditOrigin', description: 'From where it was done.' }),
    request_id: field(
      z.string().nullable(),
      'The request by which it was done; null when none was.',
      EXAMPLES.requestId,
    ),
    live_mode: field(
      z.boolean().nullable(),
      'true for live data, false for sandbox data; null for what is of both modes.',
      false,
    ),
  })
  .meta({
    id: 'AuditLogEntry',
    description: 'Who did what, and from where. Secrets are hidden, personal data masked.',
  });

export type AuditLogEntry = z.output<typeof AuditLogEntry>;

export const AuditLogListQuery = z.strictObject({
  ...pageQuery('log'),
  action: field(text({ max: ACTION_MAX }).optional(), 'Only entries of this action.', EXAMPLES.action),
  object_id: field(text({ max: ID_MAX }).optional(), 'Only entries of this object.', EXAMPLES.objectId),
  actor: field(text({ max: ID_MAX }).optional(), 'Only entries of the actor with this id.', EXAMPLES.objectId),
});

export const auditLog = c.router(
  {
    list: {
      method: 'GET',
      path: '/audit_log',
      summary: 'List the audit log',
      description:
        'What was done to the account in the mode of the key, and to both modes at once, newest first. Entries stay for ever: a reset of the sandbox and an anonymization leave them. A key that may only read is not shown what became of API keys: `before` and `after` of `api_key.…` are null.',
      query: AuditLogListQuery,
      responses: { 200: listOf(AuditLogEntry, { id: 'AuditLogList', url: '/api/v1/audit_log' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
