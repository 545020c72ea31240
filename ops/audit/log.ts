import type { Check } from './check.ts';

/** Stands before the first entry of each chain. */
const BEGINNING = `sha256('')`;

/** Each entry beside the one before it in its chain. */
const inChains = `SELECT l.chain, l.place, l.id, l.entry, l.hash, l.former_hash,
    lag(l.place, 1, 0) OVER chain AS place_before, lag(l.hash, 1, ${BEGINNING}) OVER chain AS hash_before
  FROM audit_log l WINDOW chain AS (PARTITION BY l.chain ORDER BY l.place)`;

/** The chain of hashes of the audit log, and the heads and anchors that say where it ends (docs/design/audit-log.md#what-the-audit-finds). */
export const logChecks: readonly Check[] = [
  {
    name: 'log-entry',
    sql: `SELECT l.id, l.chain, l.place FROM audit_log l
      WHERE l.hash <> sha256(l.former_hash || convert_to(l.chain || E'\\n' || l.place || E'\\n' || l.entry, 'UTF8'))
        OR l.chain <> coalesce(l.account_id, 'service')`,
    describe: '{id}, entry {place} of the log of {chain}, is not what was written there',
  },
  {
    name: 'log-order',
    sql: `SELECT id, chain, place FROM (${inChains}) AS l WHERE place = place_before + 1 AND former_hash <> hash_before`,
    describe: '{id}, entry {place} of the log of {chain}, was written after another entry than the one before it',
  },
  {
    name: 'log-gap',
    sql: `SELECT chain, place_before + 1 AS first, place - 1 AS last FROM (${inChains}) AS l WHERE place <> place_before + 1`,
    describe: 'the log of {chain} lacks its entries {first} to {last}',
  },
  {
    name: 'log-head',
    sql: `SELECT coalesce(h.chain, l.chain) AS chain, coalesce(h.entries, 0) AS entries, coalesce(l.place, 0) AS last,
        CASE WHEN h.entries = l.place THEN ', with another hash' ELSE '' END AS how
      FROM audit_log_head h FULL JOIN (SELECT DISTINCT ON (chain) chain, place, hash FROM audit_log ORDER BY chain, place DESC) AS l
        ON l.chain = h.chain
      WHERE (h.entries, h.hash) IS DISTINCT FROM (l.place, l.hash)`,
    describe: 'the log of {chain} ends with entry {last}, its head says that it ends with entry {entries}{how}',
  },
  {
    name: 'log-anchor',
    sql: `SELECT a.id, seen.head ->> 'chain' AS chain, seen.head ->> 'entries' AS place
      FROM audit_log a CROSS JOIN jsonb_array_elements(a.entry::jsonb -> 'after' -> 'heads') AS seen (head)
      WHERE a.action = 'audit_log.anchor' AND NOT EXISTS (SELECT FROM audit_log l WHERE l.chain = seen.head ->> 'chain'
        AND l.place = (seen.head ->> 'entries')::bigint AND encode(l.hash, 'hex') = seen.head ->> 'digest')`,
    describe: '{id} saw entry {place} of the log of {chain}, which is another or gone',
  },
];
