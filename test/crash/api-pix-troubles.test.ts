import { afterAll, describe, expect, test } from 'vitest';
import { type FakePsp, profileNames, type Trouble } from '../../dev/fake-psp/psp.ts';
import { pixCases } from '../../server/payments/acquirer/conformance.ts';
import { persistent } from '../api/live/persistent.ts';
import { openFakePsp } from '../api/live/psp.ts';

const OFTEN = 0.3;

/** What befalls each call by chance, or the few next ones; those that wait have a test of their own. */
const troubles: Readonly<Record<string, Trouble>> = {
  'loses requests': { kind: 'request_lost', share: OFTEN },
  'loses answers': { kind: 'answer_lost', share: OFTEN },
  'is unavailable': { kind: 'unavailable', share: OFTEN },
  'answers HTML': { kind: 'html_fault', share: OFTEN },
  'answers HTML and does its work': { kind: 'html_fault', share: OFTEN, worked: true },
  'is asked too much': { kind: 'too_many', operation: 'getCob', share: OFTEN },
  'answers nothing': { kind: 'empty', share: OFTEN },
  'answers half': { kind: 'truncated', share: OFTEN },
  'breaks off in the middle': { kind: 'cut_off', share: OFTEN },
  'answers null': { kind: 'nonsense', share: OFTEN },
  'works on after its caller gave up': { kind: 'stalled', share: OFTEN, milliseconds: 30 },
  'is slow': { kind: 'slow', share: OFTEN, milliseconds: 30 },
  'ends tokens in mid-flight': { kind: 'token_ends', share: 0.02 },
  'refuses repeats': { kind: 'repeat_refused' },
};

describe.each(profileNames)('a PSP of the profile %s', (profile) => {
  const open: FakePsp[] = [];
  afterAll(() => Promise.all(open.map((psp) => psp.close())));

  test.each(Object.entries(troubles))('that %s keeps to the port in the end', async (_, trouble) => {
    const subject = await openFakePsp(profile);
    open.push(subject.psp);
    subject.psp.troubles.set(trouble);
    for (const { name, run } of pixCases)
      await run({ ...subject, acquirer: persistent(subject.acquirer) }).catch((error: unknown) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
      });
    expect(subject.psp.troubles.list()).toHaveLength(1);
  });
});
