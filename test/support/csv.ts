/** A reader of our files that knows nothing of how they are written: RFC 4180 with semicolons. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += sign;
    else if (sign === ';') [row, cell] = [[...row, cell], ''];
    else if (sign === '\r' && text[at + 1] === '\n') {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
      at += 1;
    } else if (sign === '\n' || sign === '\r') throw new Error(`a line ends by itself at ${at}`);
    else cell += sign;
  }
  if (isQuoted || row.length > 0 || cell !== '') throw new Error('the last line has no end');
  return rows;
}
