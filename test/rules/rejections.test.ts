import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** Runs a program that survives rejections; it ends by itself. */
async function run(program: string): Promise<{ exitCode: unknown; printed: string }> {
  const source = `
    import { createLogger } from './server/logging.ts';
    import { createMetrics } from './server/metrics.ts';
    import { surviveRejections } from './server/run-until-stopped.ts';
    const metrics = createMetrics();
    surviveRejections({ logger: createLogger({ level: 'info', process: 'api' }), metrics });
    ${program}`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { exitCode, printed };
}

test('regression-32-a promise that is rejected and that nobody waits for is told and alarms, and the process goes on', async () => {
  const { exitCode, printed } = await run(`
    Promise.reject(new Error('forgotten'));
    setTimeout(async () => console.log(await metrics.registry.metrics()), 50);`);
  expect(exitCode).toBe(0);
  expect(printed).toContain('"message":"forgotten"');
  expect(printed).toContain('fatura_alarms_total{kind="unhandled_rejection"} 1');
});

test('an exception that nobody caught still ends the process', async () => {
  const { exitCode, printed } = await run(`
    setTimeout(() => { throw new Error('uncaught'); });
    setTimeout(() => console.log('went on'), 50);`);
  expect([exitCode, printed]).toEqual([1, '']);
});
