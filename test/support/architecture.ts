import { exceptions, type Reach, reachOf, type Zone, zoneOf } from './architecture-table.ts';
import { type Import, type ParsedFile, parse, type SourceFile } from './source-file.ts';

export const LINES_MAX = 300;
export const FUNCTION_LINES_MAX = 50;

/** The one reader of the system's clock (docs/design/time.md#one-reader-of-the-clock). */
const CLOCK = 'server/kernel/time.ts';
/** What in `CLOCK` reads the time; decisions take it as a value instead. */
const CLOCK_READERS = new Set(['realTime', 'realTimeMs', 'systemClock']);

/** Programs that are started by hand or by `npm`: they alone read the environment and hand it to `parseConfig`. */
export const entries = [
  'server/main.ts',
  'ops/admin/main.ts',
  'server/migrate.ts',
  'dev/start.ts',
  'ops/audit/main.ts',
  'workflows/main.ts',
  'sdk/src/cli/main.ts',
];

/** Marks of unfinished work, silenced checks and traces of one's own machine: none of it belongs into a commit. */
const UNFIT_WORDS =
  /\bT(?:ODO)\b|\bF(?:IXME)\b|\bX(?:XX)\b|\bH(?:ACK)\b|\bW(?:IP)\b|@ts-(?:ignore|nocheck|expect-error)|\bas a(?:ny)\b|\bdebugger\b|\/work\/main\b|\/home\/[a-z]/g;

type Rule = (file: ParsedFile, zone: Zone) => string[];

/** Zones whose code is values in, decision out: neither clock nor promise (docs/design/parts.md#rules-are-values). */
const isPure = (zone: Zone): boolean => zone.name === 'kernel' || zone.name === 'rules';

function allows(reach: Reach, found: Import, domains: { from: Zone; to: Zone }): boolean {
  if (found.typesOnly && reach.types !== undefined && isWithin(reach.types, domains)) return true;
  return reach.values !== undefined && isWithin(reach.values, domains);
}

function isWithin(extent: 'all' | 'own' | 'down', { from, to }: { from: Zone; to: Zone }): boolean {
  if (extent === 'all' || from.domain === null || to.domain === null) return true;
  if (from.domain.name === to.domain.name) return true;
  return extent === 'down' && to.domain.rank < from.domain.rank;
}

/** Within one domain a room imports only itself and those below it, whatever the zones. */
function keepsToRooms({ from, to }: { from: Zone; to: Zone }): boolean {
  if (from.domain === null || to.domain === null || from.domain.name !== to.domain.name) return true;
  return to.domain.room.rank <= from.domain.room.rank;
}

const placeOf = ({ name, domain }: Zone): string => {
  if (domain === null) return name;
  return `${name} of ${domain.room.name === '' ? domain.name : `${domain.name}/${domain.room.name}`}`;
};

const isException = (file: ParsedFile, found: Import): boolean =>
  exceptions.some(
    (one) => one.from.test(file.path) && one.to.test(found.to) && (one.typesOnly !== true || found.typesOnly),
  );

function judge(file: ParsedFile, zone: Zone, found: Import): string | null {
  if (isException(file, found)) return null;
  if (found.isPackage) {
    const packages = found.typesOnly ? (zone.packageTypes ?? zone.packages) : zone.packages;
    return packages(found.to, file.path) ? null : `${zone.name} may not import the package ${found.to}`;
  }
  const target = zoneOf(found.to);
  if (target === null) return `${found.to} stands in no zone of the design`;
  const reach = reachOf(zone.name, target.name);
  const zones = { from: zone, to: target };
  if (reach !== undefined && allows(reach, found, zones) && keepsToRooms(zones)) return null;
  const what = found.typesOnly ? 'types of' : 'from';
  return `${placeOf(zone)} may not import ${what} ${placeOf(target)} (${found.to})`;
}

const imports: Rule = (file, zone) =>
  file.imports.flatMap((found) => {
    const complaint = judge(file, zone, found);
    return complaint === null ? [] : [`${file.path}:${found.line} ${complaint}`];
  });

const isGenerated = (path: string): boolean => path.includes('/generated/');
/** A released migration never changes, and one statement of SQL fills many lines. */
const isMigration = (path: string): boolean => path.startsWith('server/db/migrations/');

const size: Rule = ({ path, lines, functions }) => {
  if (isGenerated(path) || isMigration(path)) return [];
  const ofFile = lines > LINES_MAX ? [`${path} has ${lines} lines, at most ${LINES_MAX} are allowed`] : [];
  const long = functions.filter((one) => one.lines > FUNCTION_LINES_MAX);
  const told = (one: { line: number; lines: number }): string =>
    `${path}:${one.line} is a function of ${one.lines} lines, at most ${FUNCTION_LINES_MAX} are allowed`;
  return [...ofFile, ...long.map(told)];
};

const defaultExports: Rule = (file) => file.defaultExports.map((line) => `${file.path}:${line} has a default export`);

/** In workflow code `Date` is Temporal's own; the client package lives with its merchant's clock, the dashboard with its person's. */
const clock: Rule = (file, zone) => {
  if (file.path === CLOCK || ['workflow', 'sdk', 'cli', 'mcp', 'dashboard'].includes(zone.name)) return [];
  const reads = file.clockReads.map((line) => `${file.path}:${line} reads the system's clock: only ${CLOCK} does`);
  if (!['rules', 'entity', 'view'].includes(zone.name)) return reads;
  const taken = file.imports.filter(
    (found) => found.to === CLOCK && found.names.some((name) => CLOCK_READERS.has(name)),
  );
  return [
    ...reads,
    ...taken.map(({ line }) => `${file.path}:${line} takes the time from the clock: decisions are given it`),
  ];
};

const environment: Rule = (file) =>
  entries.includes(file.path)
    ? []
    : file.environmentReads.map(
        (line) => `${file.path}:${line} reads process.env: only the entries do (${entries.join(', ')})`,
      );

const purity: Rule = (file, zone) =>
  isPure(zone)
    ? file.asynchronous.map((line) => `${file.path}:${line} is asynchronous: ${zone.name} is values in, decision out`)
    : [];

/** They run once in a process. */
const MADE_ONCE = ['site/markdown.ts', 'server/http/written-pages.ts', 'server/web/receipt/fonts.ts'];

/** V8 makes such a function among old objects (docs/design/admission.md#what-a-request-leaves-behind). */
const keeping: Rule = (file) =>
  MADE_ONCE.includes(file.path)
    ? []
    : file.functionsKept.map((line) => `${file.path}:${line} writes a function where it assigns it: name it first`);

const words: Rule = (file) =>
  [...file.text.matchAll(UNFIT_WORDS)].map((match) => {
    const line = file.text.slice(0, match.index).split('\n').length;
    return `${file.path}:${line} says "${match[0]}", which is not fit for a commit`;
  });

const rules: readonly Rule[] = [imports, size, defaultExports, clock, environment, purity, keeping, words];

/** Everything in which the files depart from the design (docs/design/parts.md#who-may-import-what) and the style of CONTRIBUTING; each is one sentence naming file and line. */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((source) => {
    const zone = zoneOf(source.path);
    if (zone === null) return [`${source.path} stands in no zone of the design`];
    const file = parse(source);
    return rules.flatMap((rule) => rule(file, zone));
  });
}
