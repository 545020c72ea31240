import { raw } from '@mikro-orm/core';
import { mine, statement } from '../db/statement.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { Customer } from './entity.ts';
import { soughtWords, wordsOf } from './words.ts';

type InMode = Pick<Customer, 'accountId' | 'liveMode'>;

/** So much of a hash keeps the words of a database apart. */
const HASH_BYTES = 8;

export const hashOf = (box: SecretBox, { accountId, liveMode }: InMode, word: string): Buffer =>
  box.fingerprint(['customer word', accountId, String(liveMode), word]).subarray(0, HASH_BYTES);

const insertWords = statement(
  'insert_customer_words',
  `INSERT INTO customer_word (word, customer_id, account_id, live_mode)
   SELECT n.word, :customerId, :accountId, :liveMode FROM unnest(:words::bytea[]) AS n (word) ON CONFLICT DO NOTHING`,
);

const deleteOtherWords = statement(
  'delete_other_customer_words',
  `DELETE FROM customer_word w WHERE ${mine('w')} AND w.customer_id = :customerId AND w.word <> ALL (:words::bytea[])`,
);

const hashesOf = (box: SecretBox, customer: Customer): Buffer[] =>
  [...wordsOf(customer)].map((word) => hashOf(box, customer, word));

/** Says by which words a new customer is found. */
export function indexWords(tx: Tx, customer: Customer): void {
  tx.write(insertWords, { customerId: customer.id, words: hashesOf(tx.secretBox, customer) });
}

/** Says by which words a customer that the transaction holds is found from now on: an anonymized one by none. */
export function reindexWords(tx: Tx, customer: Customer): void {
  const words = customer.anonymizedAt == null ? hashesOf(tx.secretBox, customer) : [];
  const { id: customerId } = customer;
  tx.write(deleteOtherWords, { customerId, words });
  if (words.length > 0) tx.write(insertWords, { customerId, words });
}

const hasWord = (hash: Buffer) =>
  raw(
    (alias) =>
      `EXISTS (SELECT FROM customer_word w WHERE w.word = ? AND w.customer_id = ${alias}.id
         AND w.account_id = ${alias}.account_id AND w.live_mode = ${alias}.live_mode)`,
    [hash],
  );

/** The filter of the customers that have all words of a query. */
export function havingWords(box: SecretBox, of: InMode, query: string) {
  const words = soughtWords(query);
  if (words.length === 0) return { id: { $in: [] } };
  return { $and: words.map((word) => ({ [hasWord(hashOf(box, of, word))]: [] })) };
}
