import { type Fault, fault, sql } from './fault.ts';

export const exportFaults: readonly Fault[] = [
  fault('a file that lacks a part', ['export-parts'], ({ exported }) => [
    sql`DELETE FROM export_part WHERE export_id = ${exported}`,
  ]),
  fault('a completed export without a byte', ['export-parts'], ({ exported }) => [
    sql`UPDATE export SET bytes = 0 WHERE id = ${exported}`,
  ]),
  fault('a part in the file of another account', ['export-part-export-id'], ({ exported, stranger }) => [
    sql`UPDATE export_part SET account_id = ${stranger.accountId} WHERE export_id = ${exported}`,
  ]),
  fault('a completed export that was told of at another instant', ['export-event'], ({ exported }) => [
    sql`UPDATE export SET completed_at = completed_at + 1 WHERE id = ${exported}`,
  ]),
  fault('a completed export that nobody was told of', ['export-event'], ({ exported }) => [
    sql`DELETE FROM event WHERE object_id = ${exported}`,
  ]),
  fault('an export that nobody writes', ['export-stuck'], ({ exporting }) => [
    sql`UPDATE export SET due_at = now() - interval '1 day' WHERE id = ${exporting}`,
    sql`DELETE FROM outbox WHERE key = ${exporting}`,
  ]),
];
