import { afterAll, beforeAll, describe, test } from 'vitest';
import { profileNames } from '../../../dev/fake-psp/psp.ts';
import { pixCases } from '../../../server/payments/acquirer/conformance.ts';
import { type OpenPsp, openFakePsp } from './psp.ts';

describe.each(profileNames)('API Pix of the profile %s', (profile) => {
  let subject: OpenPsp;
  beforeAll(async () => {
    subject = await openFakePsp(profile);
  });
  afterAll(() => subject.close());

  test.each(pixCases)('$name', ({ run }) => run(subject));
});
