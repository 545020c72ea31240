import { z } from 'zod';
import { AuditActor } from './audit-log.ts';
import { exampleId, field, liveMode, objectName, pageQuery, timestamp, typeId } from './kernel.ts';
import { paragraph } from './texts.ts';

const TEXT_MAX = 5_000;
const EXAMPLE_TEXT = 'Ligou em 24/11: troca o cartão na sexta.';

export const Note = z
  .object({
    id: typeId('note', 'Identifier of the note.'),
    object: objectName('note'),
    live_mode: liveMode,
    created: timestamp('When the note was written.'),
    customer: typeId('cus', 'The customer that the note is about.'),
    text: field(z.string().nullable(), 'What it says; null once the customer is anonymized.', EXAMPLE_TEXT),
    author: field(AuditActor, 'Who wrote it, as the audit log names it.', {
      kind: 'api_key',
      id: exampleId('key'),
      name: null,
    }),
  })
  .meta({ id: 'Note', description: 'What somebody of the merchant wrote down of a customer. Buyers never see it.' });

export type Note = z.output<typeof Note>;

export const NoteCreate = z
  .strictObject({ text: field(paragraph({ max: TEXT_MAX }), 'What it says: 1 to 5,000 characters.', EXAMPLE_TEXT) })
  .meta({ id: 'NoteCreate', description: 'A new note.' });

export type NoteCreate = z.output<typeof NoteCreate>;

export const NoteListQuery = z.strictObject({ ...pageQuery('note') });
