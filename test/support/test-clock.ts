import type { Merchant } from './api.ts';

/** Begins to advance a merchant's test clock; the SDK would wait until it is there. */
export async function beginAdvance(baseUrl: string, { sandboxKey }: Merchant, to: number): Promise<void> {
  const answer = await fetch(`${baseUrl}/api/v1/test_clock/advance`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${sandboxKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ test_clock: { to } }),
  });
  if (answer.status !== 202) throw new Error(`the clock does not move: ${await answer.text()}`);
}

export const isReady = async ({ fatura }: Merchant): Promise<boolean> =>
  (await fatura.testClock.retrieve()).status === 'ready';
