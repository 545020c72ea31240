import fc from 'fast-check';
import { imageDimensionsFromData } from 'image-dimensions';
import { expect, test } from 'vitest';
import { logoForm } from '../../server/profile/rules.ts';
import { png, samples } from '../support/images.ts';

const pictures = [png(), ...Object.values(samples)];

/** A picture with some of its bytes changed and its end cut off: what a hostile server may send. */
const damaged = fc
  .tuple(
    fc.constantFrom(...pictures),
    fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
    fc.nat(200),
  )
  .map(([picture, changes, length]) => {
    const bytes = Buffer.from(picture);
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
    return bytes.subarray(0, length);
  });

test('whatever bytes come are a logo or are told of', () => {
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 300 })), (bytes) => {
      const form = logoForm(imageDimensionsFromData(bytes) ?? null, null);
      expect('came' in form ? form.came.length : form.width * form.height).toBeGreaterThan(0);
    }),
    { numRuns: 5_000 },
  );
});
