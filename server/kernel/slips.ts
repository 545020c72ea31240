/** How many letters were left out, added, mistaken, or swapped with their neighbour on the way from one name to the other. */
export function slipsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const ways = [
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        ...(isSwapped ? [at(beforeLast, j - 2) + 1] : []),
      ];
      row.push(Math.min(...ways));
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, other.length);
}

/** Beyond the edge no way leads. */
const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
