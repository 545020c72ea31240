import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const CHUNK_BYTES = 16 * 1_024 * 1_024;

/** What of a process's memory can be written to, and so may hold what it was sent. */
interface Region {
  readonly start: number;
  readonly end: number;
}

const REGION = /^([0-9a-f]+)-([0-9a-f]+) (?:r|-)w.. /;

function regionsOf(pid: number): Region[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n');
  return lines.flatMap((line) => {
    const [, start = '', end = ''] = REGION.exec(line) ?? [];
    return start === '' ? [] : [{ start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) }];
  });
}

/** Readers of a dump find texts in the forms in which the engine keeps them: a byte a letter, or two. */
const formsOf = (text: string): Buffer[] => [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];

function countIn(bytes: Buffer, wanted: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) count += 1;
  return count;
}

/** How often each text stands in the memory of a process, freed or not: what a core dump of it would hold. */
export function countInMemory<Name extends string>(pid: number, texts: Record<Name, string>): Record<Name, number> {
  const wanted = Object.entries<string>(texts).map(([name, text]) => ({ name, forms: formsOf(text) }));
  const overlap = Math.max(...wanted.flatMap(({ forms }) => forms.map(({ length }) => length))) - 1;
  const counts = Object.fromEntries(wanted.map(({ name }) => [name, 0])) as Record<Name, number>;
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (const { start, end } of regionsOf(pid)) {
    for (let at = start; at < end; at += CHUNK_BYTES - overlap) {
      let read = 0;
      try {
        read = readSync(memory, buffer, 0, Math.min(CHUNK_BYTES, end - at), at);
      } catch {
        break; // reserved and never used: there is nothing to read
      }
      const part = buffer.subarray(0, read);
      for (const { name, forms } of wanted) {
        for (const form of forms) counts[name as Name] += countIn(part, form);
      }
    }
  }
  closeSync(memory);
  return counts;
}
