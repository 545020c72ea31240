import { fitting, type Written } from '../kernel/pages.ts';

/** A row of which is known, before it is read in full, how many rows there are to be read for it. */
export interface Weighed {
  readonly weight: number;
}

/** With answers as long as they are kept, so many attempts are about as many bytes as other lists read at once. */
const WEIGHT_AT_ONCE = 150;

/**
 * Writes rows part by part, until their bytes fill a page and one more is there, which says that it is not the last. What a row
 * brings is known before, so nothing is guessed from the sizes of others as it is in server/unit-of-work/page-rows.ts.
 */
export async function writtenUntilFull<Row extends Weighed>(
  rows: readonly Row[],
  write: (part: readonly Row[]) => Promise<readonly Written[]>,
): Promise<Written[]> {
  const shown: Written[] = [];
  for (const part of partsOf(rows)) {
    if (fitting(shown.map(({ bytes }) => bytes)) < shown.length) break;
    shown.push(...(await write(part)));
  }
  return shown;
}

/** A part weighs no more than is read at once, or is a single row. */
function* partsOf<Row extends Weighed>(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    if (part.length > 0 && weight + row.weight > WEIGHT_AT_ONCE) {
      yield part;
      [part, weight] = [[], 0];
    }
    part.push(row);
    weight += row.weight;
  }
  if (part.length > 0) yield part;
}
