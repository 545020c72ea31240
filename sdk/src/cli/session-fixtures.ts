import { CliFailure } from './failure.ts';

/** Tells the hosted page of a session who buys. The buyer's part has no route of the API: it is sent as the page sends it. */
export async function fillIn(baseUrl: string, { url }: { url: string }, buyer: object): Promise<void> {
  const page = new URL(new URL(url).pathname.slice(1), `${baseUrl.replace(/\/$/, '')}/`);
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
    'sec-fetch-site': 'same-origin',
  };
  const answer = await fetch(`${page}/buyer`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...buyer, phone: '11987654321' }),
  });
  if (!answer.ok) throw new CliFailure(`The hosted page refused its buyer: ${answer.status}`);
}
