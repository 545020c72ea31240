import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Statement } from '../../server/db/statement.ts';

const ownTexts = new Set<string>();

/** A statement of a test's own, with numbered places: it is none of those that the service declared, and stays without a name. */
export function ownStatement<Row = never>(_name: string, text: string): Statement<Row> {
  ownTexts.add(text);
  return { name: '', text, parameters: [] };
}

/** Whether a text is that of a test's own statement. */
export const isOwnText = (text: unknown): boolean => typeof text === 'string' && ownTexts.has(text);

/** A statement's text with its parameters under their names again. */
export const namedText = ({ text, parameters }: Statement<unknown>): string =>
  text.replace(/\$(\d+)/g, (place, number: string) => {
    const name = parameters[Number(number) - 1];
    return name === undefined ? place : `:${name}`;
  });

interface Reference {
  readonly table: string;
  /** Null: its columns stand there without an alias. */
  readonly alias: string | null;
  readonly isTarget: boolean;
}

/** Keywords are written in capitals, names in small letters: what follows a table in small letters is its alias. */
function referencesIn(text: string, tables: ReadonlySet<string>): Reference[] {
  const found = text.matchAll(/(FROM|JOIN|UPDATE|INTO|USING|,) ([a-z_]+)(?: AS)?(?: ([a-z]\w*))?(?![\w.])/g);
  return [...found].flatMap(([, before, table = '', alias = null]) =>
    tables.has(table) ? [{ table, alias, isTarget: before === 'INTO' }] : [],
  );
}

const ACCOUNT = String.raw`(?::accountId|\$1)`;
/** By the account and mode of who asks, or by an account whose sandbox is meant. */
const ofAlias = new RegExp(
  String.raw`\b(\w+)\.account_id = ${ACCOUNT} AND (?:\1\.live_mode = :liveMode|NOT \1\.live_mode)\b`,
  'g',
);
const ofNone = new RegExp(String.raw`(?<!\.)\baccount_id = ${ACCOUNT} AND NOT live_mode\b`, 'g');
const TIE = /\b(\w+)\.\w+ = (\w+)\.\w+/g;

/** The aliases that are held to an account and mode, and those that a column ties to one of them. */
function boundIn(text: string): Set<string> {
  const bound = new Set([...text.matchAll(ofAlias)].map(([, alias = '']) => alias));
  const ties = [...text.matchAll(TIE)];
  for (let before = -1; before !== bound.size; ) {
    before = bound.size;
    for (const [, one = '', other = ''] of ties) {
      if (bound.has(one)) bound.add(other);
      if (bound.has(other)) bound.add(one);
    }
  }
  return bound;
}

/** The tables, of those that have account and mode, that a statement reads or changes without being held to them. */
export function unboundTables(statement: Statement<unknown>, tables: ReadonlySet<string>): string[] {
  const text = namedText(statement);
  const bound = boundIn(text);
  let held = [...text.matchAll(ofNone)].length;
  const isInserted = /:accountId\b/.test(text) && /:liveMode\b/.test(text);
  const loose = referencesIn(text, tables).filter(({ alias, isTarget }) => {
    if (isTarget) return !isInserted;
    if (alias !== null) return !bound.has(alias);
    held -= 1;
    return held < 0;
  });
  return [...new Set(loose.map(({ table }) => table))];
}

/** Loads every file that declares statements: they are known as soon as it is. */
export async function loadStatements(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    if (/\b(?:statement|acrossAccounts)[<(]|\btable\(|\b(?:dueInTurn|dueOf|fillOf)\(/.test(text))
      await import(resolve(path));
  }
}
