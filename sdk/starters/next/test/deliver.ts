import { POST } from '../app/webhooks/route.ts';

/** Sends a delivery to the shop; answers the status. */
export async function deliver(body: string, headers: Record<string, string>): Promise<number> {
  return (await POST(new Request('http://localhost:4242/webhooks', { method: 'POST', headers, body }))).status;
}
