import type { EntitySchema } from '@mikro-orm/core';
import { entities } from '../../server/entities.ts';

/** What the auditor's login may not read: keys, secrets, what people sign in with, and counts of what is sent and asked. */
const UNREAD = new Set([
  'api_key',
  'encryption_key',
  'encryption_key_check',
  'encryption_ring',
  'installation',
  'live_acquirer',
  'mail_count',
  'mail_suppression',
  'rate_limit',
  'staff',
  'staff_passkey',
  'staff_session',
  'staff_token',
  'wrapped_key',
]);

const nameOf = ({ meta: { schema, tableName } }: EntitySchema): string =>
  schema === undefined ? tableName : `${schema}.${tableName}`;

const audited = entities.filter(({ meta }) => !UNREAD.has(meta.tableName) && meta.view !== true);

/** Every table that the audit may read. */
export const auditedTables: readonly string[] = audited.map(nameOf);

/** Those whose rows name an account. */
export const tablesOfAccounts: readonly string[] = audited
  .filter(({ meta }) => 'accountId' in meta.properties)
  .map(nameOf);
