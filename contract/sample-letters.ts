import { z } from 'zod';
import { letterSentence } from './account.ts';
import { meta } from './kernel.ts';
import { switchedOccasions } from './mails.ts';
import { c } from './router.ts';

/** What buyers are written to about in the look of their merchant, whose people look at each letter before it goes out. */
export const sampleOccasions = [
  ...switchedOccasions,
  'declined',
  'sent',
  'debit_scheduled',
  'debit_failed',
  'mandate_ended',
  'confirmation',
] as const;
export type SampleOccasion = (typeof sampleOccasions)[number];

/** A letter of made-up facts, with settings that need not be saved. */
export const SampleLetterQuery = z.strictObject({
  occasion: z.enum(sampleOccasions),
  /** Absent: there is none. */
  sentence: letterSentence.optional(),
  attach_receipt: z.enum(['true', 'false']),
});

export type SampleLetterQuery = z.output<typeof SampleLetterQuery>;

/** The same for a frame, which sends no headers. */
export const SampleFrameQuery = SampleLetterQuery.extend({
  account: z.string().max(64),
  mode: z.enum(['live', 'sandbox']),
});

export type SampleFrameQuery = z.output<typeof SampleFrameQuery>;

/** What a mail program shows of a letter beside its HTML. */
export const SampleLetter = z.object({
  subject: z.string(),
  /** What a list of mails shows behind the subject. */
  preheader: z.string(),
  text: z.string(),
});

export type SampleLetter = z.output<typeof SampleLetter>;

export const sampleLetters = c.router({
  sampleLetter: {
    method: 'GET',
    path: '/account/sample_letter',
    query: SampleLetterQuery,
    responses: { 200: SampleLetter },
    metadata: meta({ scope: 'read' }),
  },
  sampleLetterFrame: {
    method: 'GET',
    path: '/account/sample_letter/frame',
    query: SampleFrameQuery,
    responses: { 200: c.otherResponse({ contentType: 'text/html; charset=utf-8', body: z.string() }) },
    metadata: meta({ scope: 'read' }),
  },
});
