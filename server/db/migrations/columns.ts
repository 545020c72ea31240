export const ID = 'text COLLATE "C"';

/** What every object of an account carries; foreign keys go through (account, mode, id), so none leads to another account. */
export const scoped = (table: string): string => `
  id ${ID} PRIMARY KEY,
  account_id ${ID} NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  CONSTRAINT ${table}_scope UNIQUE (account_id, live_mode, id)`;

export const references = (table: string, column: string): string =>
  `FOREIGN KEY (account_id, live_mode, ${column}) REFERENCES ${table} (account_id, live_mode, id)`;
