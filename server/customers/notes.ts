import type { z } from 'zod';
import type { NoteCreate, NoteListQuery, Note as NoteView } from '../../contract/notes.ts';
import { shownActor, THE_SERVICE } from '../audit-log/audit-log.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../kernel/ids.ts';
import type { Page } from '../kernel/pages.ts';
import { places } from '../sealing/sealed-columns.ts';
import { openedRow, type SealedPart } from '../sealing/sealed-rows.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import { listPage } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { lockCustomer, retrieveCustomer } from './customers.ts';
import { type Note, NoteSchema } from './entity.ts';
import { viewNote } from './view.ts';

const notePart: SealedPart<Note> = { place: places.note, column: 'sealedText', of: ['text'], indexes: {} };

const notes = table(NoteSchema, { fixed: ['customerId', 'author'], seals: notePart });

/** A note, or some columns of one with `sealedText` among them, as it was written. */
export const openedNote = <Read extends { readonly id: string; readonly accountId: string }>(
  row: Read,
  box: SecretBox,
): Read & { readonly text: string | null } => openedRow<Read, { text: string | null }>(notePart, row, box);

/** Writes a note on a customer, who is not anonymized meanwhile (docs/product/customers.md#notes). */
export function createNote(
  deps: Deps,
  scope: Scope,
  { customerId, note }: { customerId: string; note: NoteCreate },
): Promise<NoteView> {
  return deps.transaction(scope, async (tx) => {
    await lockCustomer(tx, customerId);
    const author = shownActor((scope.origin ?? THE_SERVICE).actor);
    return tx.answer(viewNote(tx.insert(notes, { id: newId('note'), customerId, text: note.text, author })));
  });
}

/** The notes on a customer, newest first. */
export async function listNotes(
  deps: Deps,
  scope: Scope,
  { customerId, query }: { customerId: string; query: z.output<typeof NoteListQuery> },
): Promise<Page<NoteView>> {
  await retrieveCustomer(deps, scope, customerId);
  return listPage({ deps, scope }, NoteSchema, {
    query,
    where: { customerId },
    url: `/api/v1/customers/${customerId}/notes`,
    view: (row) => viewNote(openedNote(row, deps.secretBox)),
  });
}

const eraseTexts = statement(
  'erase_notes',
  `UPDATE note n SET sealed_text = NULL WHERE ${mine('n')} AND n.customer_id = :customerId AND n.sealed_text IS NOT NULL`,
);

/** What was written down of an anonymized customer goes with it. */
export const eraseNotes = (tx: Tx, customerId: string): void => tx.write(eraseTexts, { customerId });
