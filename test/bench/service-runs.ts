import type { BenchContext } from './bench.ts';
import type { Seeds } from './seeds.ts';
import type { ServiceLoad, ServiceLoadResult } from './service-load.ts';
import type { Stage } from './stage.ts';
import { type Figure, figureOf } from './table.ts';
import { runTask } from './task.ts';

const NAMES = {
  invoice: 'POST /api/v1/invoices',
  sale: 'sale: invoice + PIX checkout',
  card: 'card: invoice + card checkout, paid',
  session: 'session + its page + QR code made on it',
  mixed: 'rounds of every kind',
} as const;

/** Loads the API from another process, again and again, and keeps the sum of what was answered. */
export function driveService(context: BenchContext, stage: Stage, load: Seeds & Pick<ServiceLoad, 'kind'>) {
  let succeeded = 0;
  const refused = new Map<string, number>();

  const run = async (connections: number, times: { warmupSeconds: number; seconds: number }) => {
    const { port, apiKey, pids } = stage;
    const input: ServiceLoad = { ...load, ...times, port, apiKey, connections };
    const task = { file: 'service-load.ts', input, timeoutMs: context.timeoutMs, watched: pids };
    const measured = await runTask<ServiceLoad, ServiceLoadResult>(context.teardown, task);
    succeeded += measured.result.succeeded;
    for (const [what, count] of Object.entries(measured.result.refused))
      refused.set(what, (refused.get(what) ?? 0) + count);
    return measured;
  };

  return {
    /** Lets the process compile its hot code; nothing of it is measured. */
    warmUp: () => run(16, { warmupSeconds: 0, seconds: context.times.seconds }),
    measure: async (connections: number): Promise<Figure> =>
      figureOf(NAMES[load.kind], connections, await run(connections, context.times)),
    succeeded: () => succeeded,
    refusals: (): string[] => [...refused].map(([what, count]) => `refused: ${count} times ${what}`),
  };
}
