import type { SealContext } from './secret-box.ts';

/** A column of sealed texts, and what each of them is bound to. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** What the text is: a column that takes over the text of another one has the same use. */
  readonly use: string;
  /** SQL of the id that a text is bound to, unique in the table. */
  readonly id: string;
  /** SQL of the column whose order the rows are walked in, and of its value for the id `:after`. */
  readonly order: string;
  readonly orderOf: (id: string) => string;
  /** SQL of the account that it is bound to. */
  readonly account: string;
}

const byId = (id: string) => ({ id, order: id, orderOf: (sought: string) => sought });

/** Every column that holds sealed texts: all of them are sealed anew when the first key of the ring is another. */
export const sealedColumns = {
  hashKey: {
    table: 'encryption_key_check',
    column: 'hash_key',
    use: 'hash key',
    ...byId('is_only::text'),
    account: 'NULL',
  },
  webhookSecret: {
    table: 'webhook_endpoint',
    column: 'secret',
    use: 'webhook secret',
    ...byId('id'),
    account: 'account_id',
  },
  formerWebhookSecret: {
    table: 'webhook_endpoint',
    column: 'former_secret',
    use: 'webhook secret',
    ...byId('id'),
    account: 'account_id',
  },
  acquirer: {
    table: 'live_acquirer',
    column: 'settings',
    use: 'acquirer settings',
    ...byId(`account_id || '/' || method`),
    account: 'account_id',
  },
  customer: {
    table: 'customer',
    column: 'personal',
    use: 'customer',
    ...byId('id'),
    account: 'account_id',
  },
  note: {
    table: 'note',
    column: 'sealed_text',
    use: 'note',
    ...byId('id'),
    account: 'account_id',
  },
  cardToken: {
    table: 'payment_method',
    column: 'sealed_token',
    use: 'card token',
    ...byId('id'),
    account: 'account_id',
  },
  totp: {
    table: 'staff',
    column: 'totp_secret',
    use: 'totp secret',
    ...byId('id'),
    account: 'NULL',
  },
  answer: {
    table: 'idempotency_key',
    column: 'answer',
    use: 'stored answer',
    id: `encode(hash, 'hex')`,
    order: 'hash',
    orderOf: (sought: string) => `decode(${sought}, 'hex')`,
    account: 'account_id',
  },
  exportFilters: {
    table: 'export',
    column: 'sealed_filters',
    use: 'export filters',
    ...byId('id'),
    account: 'account_id',
  },
  exportPart: {
    table: 'export_part',
    column: 'content',
    use: 'export part',
    ...byId('id'),
    account: 'account_id',
  },
  // The last: it shows the former key for as long as something else may be sealed with that.
  keyCheck: {
    table: 'encryption_key_check',
    column: 'sealed',
    use: 'key-check',
    ...byId('is_only::text'),
    account: 'NULL',
  },
} as const satisfies Record<string, SealedColumn>;

const placeIn =
  ({ use }: SealedColumn) =>
  (accountId: string | null, id: string): SealContext => ({ use, accountId, id });

/** Where the sealed texts of the service belong. */
export const places = {
  hashKey: placeIn(sealedColumns.hashKey)(null, 'true'),
  keyCheck: placeIn(sealedColumns.keyCheck)(null, 'true'),
  webhookSecret: placeIn(sealedColumns.webhookSecret),
  customer: placeIn(sealedColumns.customer),
  note: placeIn(sealedColumns.note),
  cardToken: placeIn(sealedColumns.cardToken),
  exportFilters: placeIn(sealedColumns.exportFilters),
  exportPart: placeIn(sealedColumns.exportPart),
  totp: (staffId: string): SealContext => placeIn(sealedColumns.totp)(null, staffId),
  acquirer: (accountId: string, method: string): SealContext =>
    placeIn(sealedColumns.acquirer)(accountId, `${accountId}/${method}`),
  answer: (accountId: string, hash: Buffer): SealContext =>
    placeIn(sealedColumns.answer)(accountId, hash.toString('hex')),
};
