import { type Fault, fault, type Sql, sql } from './fault.ts';

/** As whoever knows how the log is made would hide a change. */
const rehash = (chain: string, place: number): Sql =>
  sql`UPDATE audit_log SET hash = sha256(former_hash || convert_to(chain || E'\n' || place || E'\n' || entry, 'UTF8'))
    WHERE chain = ${chain} AND place = ${place}`;

const reword = (chain: string, place: number): Sql =>
  sql`UPDATE audit_log SET entry = replace(entry, '"action":"', '"action":"not_') WHERE chain = ${chain} AND place = ${place}`;

const removeLast = (chain: string): Sql =>
  sql`DELETE FROM audit_log WHERE chain = ${chain} AND place = (SELECT max(place) FROM audit_log l WHERE l.chain = ${chain})`;

const moveHeadBack = (chain: string): Sql =>
  sql`UPDATE audit_log_head h SET entries = l.place, hash = l.hash FROM audit_log l
    WHERE h.chain = ${chain} AND l.chain = h.chain AND l.place = h.entries - 1`;

/** An entry behind the last one, whose hash is right. */
const forge = (chain: string): Sql =>
  sql`INSERT INTO audit_log (chain, place, former_hash, hash, entry)
    SELECT chain, place + 1, hash, sha256(hash || convert_to(chain || E'\n' || (place + 1) || E'\n' || entry, 'UTF8')), entry
    FROM (SELECT chain, place, hash, jsonb_set(entry::jsonb, '{id}', '"log_forged"')::text AS entry FROM audit_log
      WHERE chain = ${chain} ORDER BY place DESC LIMIT 1) AS l`;

const move = (chain: string, from: number, to: number): Sql =>
  sql`UPDATE audit_log SET place = ${to} WHERE chain = ${chain} AND place = ${from}`;

/** Faults of the audit log, such as nobody makes by mistake. */
export const logFaults: readonly Fault[] = [
  fault('an entry of the log that was reworded', ['log-entry'], ({ accountId }) => [reword(accountId, 2)]),
  fault('an entry of the log that was reworded with its hash', ['log-order'], ({ accountId }) => [
    reword(accountId, 2),
    rehash(accountId, 2),
  ]),
  fault(
    'the last entry of a log, reworded with its hash and its head',
    ['log-anchor'],
    ({ stranger: { accountId } }) => [
      sql`UPDATE audit_log SET entry = replace(entry, '"action":"', '"action":"not_')
      WHERE chain = ${accountId} AND place = (SELECT entries FROM audit_log_head WHERE chain = ${accountId})`,
      sql`UPDATE audit_log l SET hash = sha256(l.former_hash || convert_to(l.chain || E'\n' || l.place || E'\n' || l.entry, 'UTF8'))
      FROM audit_log_head h WHERE h.chain = ${accountId} AND l.chain = h.chain AND l.place = h.entries`,
      sql`UPDATE audit_log_head h SET hash = l.hash FROM audit_log l
      WHERE h.chain = ${accountId} AND l.chain = h.chain AND l.place = h.entries`,
    ],
  ),
  fault('an entry of the log that was removed', ['log-gap'], ({ accountId }) => [
    sql`DELETE FROM audit_log WHERE chain = ${accountId} AND place = 3`,
  ]),
  fault('the first entry of the log that was removed', ['log-gap'], ({ accountId }) => [
    sql`DELETE FROM audit_log WHERE chain = ${accountId} AND place = 1`,
  ]),
  fault('the last entry of a log that was removed', ['log-anchor', 'log-head'], ({ stranger }) => [
    removeLast(stranger.accountId),
  ]),
  fault('the last entry of a log that was removed, and its head moved back', ['log-anchor'], ({ stranger }) => [
    moveHeadBack(stranger.accountId),
    removeLast(stranger.accountId),
  ]),
  fault('a log that was removed as a whole', ['log-anchor', 'log-head'], ({ stranger }) => [
    sql`DELETE FROM audit_log WHERE chain = ${stranger.accountId}`,
  ]),
  fault('a head without its log', ['log-head'], () => [
    sql`INSERT INTO audit_log_head (chain, entries, hash) VALUES ('acct_nobody', 1, '')`,
  ]),
  fault('an entry of the log that was never written', ['log-head'], ({ accountId }) => [forge(accountId)]),
  fault('two entries of the log that changed places', ['log-entry', 'log-order'], ({ accountId }) => [
    move(accountId, 2, -2),
    move(accountId, 3, 2),
    move(accountId, -2, 3),
  ]),
];
