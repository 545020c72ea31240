import { expect, test } from 'vitest';
import { Rotation } from '../../server/jobs/rotation.ts';

test('claims go on behind the last key while they are full, and from the beginning once they are not', () => {
  const rotation = new Rotation();
  expect([rotation.after, rotation.took(['a', 'b', 'a'], 3), rotation.after]).toEqual(['', true, 'b']);
  expect([rotation.took(['c'], 3), rotation.after]).toEqual([true, '']);
  expect([rotation.took([], 3), rotation.after]).toEqual([false, '']);
});
