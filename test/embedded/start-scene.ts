import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { readIfThere } from '../../dev/embedded/files.ts';
import { commandLines, folderWithOneSale, type Program, query, runStandIn, temporaryFolder } from './support.ts';

export const READY = 'Fatura is ready';

/** Of a process that runs such tests; another one begins behind them. */
const PORTS = 50;
/** Ports below the system's own range, so that no connection of another test takes them meanwhile. */
let nextPort = 20_000 + (process.pid % 200) * PORTS;

export type Installation = { dataDir: string; port: number; uiPort: number };

export function emptyInstallation(): Installation {
  nextPort += 2;
  return { dataDir: join(temporaryFolder(), 'data'), port: nextPort, uiPort: nextPort + 1 };
}

/** Where PostgreSQL is there already, but no demo account yet. */
export async function installation(): Promise<Installation> {
  return { ...emptyInstallation(), dataDir: await folderWithOneSale() };
}

/** With a Temporal of its own only where that is the point. */
export function startWith({ dataDir, port, uiPort }: Installation, env: Record<string, string> = {}): Program {
  const own = { DATA_DIR: dataDir, PORT: String(port), TEMPORAL_UI_PORT: String(uiPort) };
  return runStandIn('start.ts', { TEMPORAL_ADDRESS: '127.0.0.1:1', ...own, ...env });
}

export async function stop(program: Program): Promise<number | null> {
  program.process.kill('SIGTERM');
  return program.ended();
}

export const storyOf = ({ dataDir }: Installation) =>
  readFileSync(join(dataDir, 'story.log'), 'utf8').trim().split('\n');
export const keyIn = (program: Program) => /Demo key +(sk_sandbox_\w+)/.exec(program.output())?.[1];
/** The process of one of the stand-ins that were started for this folder, as it recorded itself; none: NaN. */
export const pidOf = ({ dataDir }: Installation, program: 'api' | 'worker'): number =>
  Number(readIfThere(join(dataDir, `${program}.pid`)) ?? Number.NaN);

export const temporalPid = ({ dataDir }: Installation): number =>
  [...commandLines()].find(([, line]) => line.includes(`${dataDir}/temporal.db`))?.[0] ?? Number.NaN;

export const postgresPid = ({ dataDir }: Installation): number =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

export async function accountsIn({ dataDir }: Installation): Promise<number> {
  const rows = await query(readRunningInstance(dataDir)?.databaseUrl ?? '', 'SELECT count(*)::int AS n FROM account');
  return Number(rows[0]?.n);
}
