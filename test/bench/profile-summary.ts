import { readFileSync } from 'node:fs';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The beginning, of starting and compiling, is no part of what is asked. */
const SKIPPED_SHARE = 0.3;
const SHOWN = 25;
const NOT_WORK = new Set(['(idle)', '(root)']);
/**
 * Native functions that write to a socket. A process woken by the write may take the core before it returns, so on a
 * machine with few cores this time is partly the other process's.
 */
const SOCKET_WRITES = /^(?:writev|writeBuffer|writeUtf8String|writeLatin1String|writeAsciiString|shutdown)$/;
/** Parts of Node that are a subject of their own, whoever calls them. */
const SUBJECTS: readonly [RegExp, string][] = [[/^node:(?:internal\/)?crypto/, 'node:crypto']];

/** The package, file of ours or part of Node that a frame is of; null for Node's general machinery and native code. */
function ownerOf({ functionName, url }: ProfileNode['callFrame']): string | null {
  const subject = SUBJECTS.find(([pattern]) => pattern.test(url))?.[1];
  if (subject !== undefined) return subject;
  if (functionName === '(garbage collector)') return 'garbage collection';
  const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (packageName !== undefined) return packageName;
  return /\/((?:server|contract|workflows|ops|web\/page)\/.*)/.exec(url)?.[1] ?? null;
}

function add(to: Map<string, number>, key: string, micros: number): void {
  to.set(key, (to.get(key) ?? 0) + micros);
}

function shares(times: ReadonlyMap<string, number>, total: number): string[] {
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, micros]) => `${((micros / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
}

/** Charges each function's own time to the nearest owner up its stack: what Node does for a package is the package's. */
function createLedger(nodes: readonly ProfileNode[]): (id: number) => string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const known = new Map<number, string>();
  const ownerAbove = (id: number | undefined): string => {
    if (id === undefined) return 'node: event loop, HTTP and sockets';
    const frame = byId.get(id)?.callFrame;
    const owner = known.get(id) ?? (frame === undefined ? null : ownerOf(frame)) ?? ownerAbove(parents.get(id));
    known.set(id, owner);
    return owner;
  };
  return (id) => {
    const owner = ownerAbove(id);
    return SOCKET_WRITES.test(byId.get(id)?.callFrame.functionName ?? '') ? `${owner}: socket writes` : owner;
  };
}

/** Tells of a `.cpuprofile` where the process's time went, by owner and by function. */
function summarize(profile: CpuProfile): string[] {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const charge = createLedger(profile.nodes);
  const owners = new Map<string, number>();
  const functions = new Map<string, number>();
  let busy = 0;
  let all = 0;
  for (let index = Math.floor(profile.samples.length * SKIPPED_SHARE); index < profile.samples.length; index += 1) {
    const id = profile.samples[index] ?? 0;
    const frame = frames.get(id);
    const micros = profile.timeDeltas[index] ?? 0;
    all += micros;
    if (frame === undefined || NOT_WORK.has(frame.functionName)) continue;
    busy += micros;
    add(owners, charge(id), micros);
    const place = `${frame.url.replace(/.*node_modules\//, '').replace(/^file:.*\/(server|contract|workflows|ops|web\/page)\//, '$1/')}:${frame.lineNumber + 1}`;
    add(functions, `${frame.functionName || '(anonymous)'}  ${place}`, micros);
  }
  const head = `busy ${(busy / 1e6).toFixed(1)} s of ${(all / 1e6).toFixed(1)} s; of that, charged to the nearest owner:`;
  return [head, ...shares(owners, busy), '', 'own time by function:', ...shares(functions, busy)];
}

const [, , path] = process.argv;
if (path === undefined) throw new Error('usage: node test/bench/profile-summary.ts <file.cpuprofile>');
// Written by Node's own profiler.
const profile = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
console.log(summarize(profile).join('\n'));
