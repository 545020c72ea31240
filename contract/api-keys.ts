import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import {
  field,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { ofForm, printedText, text } from './texts.ts';

/** Valid keys of an account in one mode (docs/product/api-keys.md#limits). */
export const KEYS_MAX = 20;
export const KEY_NAME_MAX = 100;
/** Networks that one key may be used from. */
export const NETWORKS_MAX = 50;
/** Seconds. A key that is to end later need not be one that ends. */
export const KEY_LIFETIME_MAX = 10 * 365 * 86_400;
/** Hours a rolled key may stay valid. */
export const ROLL_HOURS = [0, 1, 24, 168] as const;
export const ROLL_HOURS_DEFAULT = 24;

const NETWORK_LENGTH_MAX = 49;

const EXAMPLES = {
  name: 'ERP',
  networks: ['203.0.113.0/24'],
  key: 'sk_sandbox_Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hGp0cL5aT8yR1iXw3Bz',
};

const ApiKeyScope = named('ApiKeyScope', ['full', 'read'], 'What a key may do: everything, or read.');
const ApiKeyReads = named('ApiKeyReads', ['latest', 'eventual'], 'How fresh the lists are that a key asks for.');
const ApiKeyStatus = named('ApiKeyStatus', ['valid', 'expired', 'revoked'], 'Whether a key is taken.');
const RollHours = z
  .literal(ROLL_HOURS)
  .meta({ id: 'RollHours', description: 'Hours that a rolled key stays valid beside the one in its place.' });

export const ApiKey = z
  .object({
    id: typeId('key', 'Identifier of the key.'),
    object: objectName('api_key'),
    name: field(z.string(), 'What it is for.', EXAMPLES.name),
    scope: field(ApiKeyScope, '`full`: it may do everything; `read`: it may only read.', 'full'),
    networks: field(
      z.array(z.string()),
      'Networks that it may be used from, as CIDRs; none: anywhere.',
      EXAMPLES.networks,
    ),
    reads: field(
      ApiKeyReads,
      '`latest`: its lists show what is there; `eventual`: they may be up to five seconds late.',
      'latest',
    ),
    hint: field(z.string(), 'Its last four characters.', 'w3Bz'),
    status: field(ApiKeyStatus, 'Whether it is taken; any other is answered 401 `API_KEY_EXPIRED`.', 'valid'),
    created: timestamp('When it was made, in real time.'),
    last_used_at: timestampOrNull('When it was last used, to about a minute.'),
    expires_at: field(
      z.int().nullable(),
      'When it ends, or ended. Unix time, seconds; null: it has no end.',
      1_803_033_600,
    ),
    revoked_at: timestampOrNull('When it was revoked.'),
    replaced_by: typeId('key', 'The key that a roll put in its place; null when there is none.').nullable(),
    live_mode: liveMode,
    key: field(
      z.string().optional(),
      'The key itself, shown only in the answers of its creation and of the roll that made it.',
      EXAMPLES.key,
    ),
  })
  .meta({ id: 'ApiKey', description: 'A key by which programs use the API.' });

export type ApiKey = z.output<typeof ApiKey>;

const name = field(
  printedText({ max: KEY_NAME_MAX }),
  'What it is for: 1 to 100 characters, none of them a control character.',
  EXAMPLES.name,
);
const network = ofForm(
  text({ max: NETWORK_LENGTH_MAX }).meta({ pattern: '^\\s*[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?\\s*$' }),
  'network',
);
const networks = field(
  arrayOf(field(network, 'A network in CIDR form, or an address.', '203.0.113.0/24'), { max: NETWORKS_MAX }),
  'Networks of IPv4 and IPv6 that it may be used from, at most 50; none: anywhere.',
  EXAMPLES.networks,
);

export const ApiKeyCreate = z
  .strictObject({
    name,
    scope: field(ApiKeyScope, '`full`: it may do everything; `read`: it may only read.', 'read'),
    networks: networks.optional(),
    reads: field(
      ApiKeyReads.optional(),
      '`eventual`: its lists may be up to five seconds late, and are read where they keep nobody from selling. Absent: `latest`.',
      'eventual',
    ),
    expires_at: timestamp('When it ends, in real time: ahead, at most 10 years. Absent or null: it has no end.')
      .nullable()
      .optional(),
  })
  .meta({ id: 'ApiKeyCreate', description: 'A new key.' });

export const ApiKeyUpdate = z
  .strictObject({ name: name.optional(), networks: networks.optional() })
  .meta({ id: 'ApiKeyUpdate', description: 'Changes of a key: an absent field keeps.' });

export const ApiKeyListQuery = z.strictObject({
  ...pageQuery('key'),
  status: field(ApiKeyStatus.optional(), 'Only keys in this status.', 'valid'),
});

const CreateBody = z
  .strictObject({ api_key: ApiKeyCreate })
  .meta({ id: 'ApiKeyCreateBody', description: 'A new key.' });
const UpdateBody = z
  .strictObject({ api_key: ApiKeyUpdate })
  .meta({ id: 'ApiKeyUpdateBody', description: 'Changes of a key.' });
const RollBody = z
  .strictObject({
    hours: field(RollHours.optional(), 'Hours that the former key stays valid; default 24.', ROLL_HOURS_DEFAULT),
  })
  .optional()
  .meta({ id: 'ApiKeyRollBody', description: 'For how long the former key stays valid.' });

const keyPath = pathId('api_key', 'key', 'key');

export const apiKeys = c.router(
  {
    create: {
      method: 'POST',
      path: '/api_keys',
      summary: 'Make an API key',
      description:
        'Of the account and mode of the key that asks; at most 20 are valid in each mode. The answer holds the key, which is not shown again. A key hands on no more than it has: what it makes ends no later and may be used from no other networks, or it is 403 `PERMISSION_DENIED`.',
      body: CreateBody,
      responses: { 201: ApiKey, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/api_keys/:api_key_id',
      pathParams: keyPath,
      summary: 'Retrieve an API key',
      description: 'Without the key itself, which is stored nowhere.',
      responses: { 200: ApiKey, ...readErrors },
      metadata: meta({ scope: 'write', idPrefix: 'key' }),
    },
    list: {
      method: 'GET',
      path: '/api_keys',
      summary: 'List API keys',
      description:
        'Those that ended too. A key that may only read does not see them: their names and networks help a thief.',
      query: ApiKeyListQuery,
      responses: { 200: listOf(ApiKey, { id: 'ApiKeyList', url: '/api/v1/api_keys' }), ...listErrors },
      metadata: meta({ scope: 'write' }),
    },
    update: {
      method: 'PATCH',
      path: '/api_keys/:api_key_id',
      pathParams: keyPath,
      summary: 'Update an API key',
      description: 'Another name, or other networks, which hold within a second.',
      body: UpdateBody,
      responses: { 200: ApiKey, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'key' }),
    },
    roll: {
      method: 'POST',
      path: '/api_keys/:api_key_id/roll',
      pathParams: keyPath,
      summary: 'Put another key in the place of an API key',
      description:
        'Of the same name, scope and networks. It lives as long as the former was to live, and goes on with its count of requests. The answer holds the new key, which is not shown again. A key that is not valid, or was rolled already, is 409 `INVALID_STATE`. A key that rolls itself with `hours: 0` cannot ask again where the answer is lost.',
      body: RollBody,
      responses: { 201: ApiKey, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'key' }),
    },
    revoke: {
      method: 'DELETE',
      path: '/api_keys/:api_key_id',
      pathParams: keyPath,
      summary: 'Revoke an API key',
      description:
        'It is refused within a second; a key may revoke itself. The last valid full key of a mode is 409 `INVALID_STATE`. One that is over already stays as it is.',
      responses: { 200: ApiKey, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'key' }),
    },
  },
  routerOptions,
);
