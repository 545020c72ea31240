import { z } from 'zod';

/** Of itself zod compares the `length` of whatever comes, and throws for one of which no number can be made. */
const isArray = ({ value }: { value: unknown }) => Array.isArray(value);

/** An array of at most, and where it is said at least, so many items. */
export function arrayOf<T extends z.ZodType>(item: T, { min, max }: { min?: number; max: number }) {
  const capped = z
    .array(item)
    .check(new z.core.$ZodCheckMaxLength({ check: 'max_length', maximum: max, when: isArray }));
  if (min === undefined) return capped;
  return capped.check(new z.core.$ZodCheckMinLength({ check: 'min_length', minimum: min, when: isArray }));
}
