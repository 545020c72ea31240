import { app } from '../src/app.ts';

/** Sends a delivery to the shop; answers the status. */
export async function deliver(body: string, headers: Record<string, string>): Promise<number> {
  return (await app.request('/webhooks', { method: 'POST', headers, body })).status;
}
