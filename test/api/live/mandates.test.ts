import { afterAll, beforeAll, describe, test } from 'vitest';
import { profileNames, type Trouble } from '../../../dev/fake-psp/psp.ts';
import { mandateCases } from '../../../server/payments/acquirer/conformance.ts';
import { type OpenMandatePsp, openPsp } from './mandate-psp.ts';

const MANDATE_CALLS = [
  ...(['postLocRec', 'getLocRec', 'postRec', 'getRec', 'patchRec'] as const),
  ...(['putCobR', 'getCobR', 'patchCobR', 'retryCobR'] as const),
];

describe.each(profileNames)('Pix Automático of the profile %s', (profile) => {
  let opened: OpenMandatePsp;
  beforeAll(async () => {
    opened = await openPsp(profile);
  });
  afterAll(() => opened.close());

  test.each(mandateCases)('$name', ({ run }) => run(opened.subject));
});

const TRIES_MAX = 60;

/** What befalls a call, without a word of what became of it. */
const troubles: readonly Trouble[] = [
  { kind: 'request_lost', share: 0.3 },
  { kind: 'answer_lost', share: 0.3 },
  { kind: 'unavailable', share: 0.3 },
  { kind: 'html_fault', share: 0.3, worked: true },
  { kind: 'empty', share: 0.3 },
  { kind: 'truncated', share: 0.3 },
  { kind: 'nonsense', share: 0.3 },
  { kind: 'cut_off', share: 0.3 },
  { kind: 'slow', share: 0.3, milliseconds: 20 },
];

describe.each(['efi', 'sicredi'] as const)('Pix Automático of the profile %s', (profile) => {
  describe.each(troubles)('where calls meet $kind', (trouble) => {
    let opened: OpenMandatePsp;
    beforeAll(async () => {
      opened = await openPsp(profile, TRIES_MAX);
      // Callbacks and tokens have troubles of their own.
      for (const operation of MANDATE_CALLS) opened.psp.troubles.set({ ...trouble, operation });
    });
    afterAll(() => opened.close());

    test.each(mandateCases)('$name', ({ run }) => run(opened.subject));
  });
});
