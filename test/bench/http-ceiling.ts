import { signWebhook } from '../../server/events/deliveries/signing.ts';
import { newId } from '../../server/kernel/ids.ts';
import { driveLanes, type Summary } from './latencies.ts';
import { postRequest, RawConnection } from './raw-http.ts';
import { serveTask } from './task.ts';

export interface HttpCeiling {
  readonly port: number;
  readonly path: string;
  readonly secret: string;
  /** The text of an event as the service delivers it. */
  readonly body: string;
  readonly connections: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** Signed before the measurement and sent in turn, so that only sending is measured. */
const REQUESTS = 1_000;

function signedRequest({ port, path, secret, body }: HttpCeiling): Buffer {
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = { ...signWebhook({ id: newId('evt'), timestamp, body, secrets: [secret] }), 'user-agent': 'Fatura' };
  return Buffer.from(postRequest({ port, path, headers, body }));
}

/** What this machine can post with nothing around it: no database, no look-up, no record. */
async function load(input: HttpCeiling, report: { onBegin(): void; onEnd(): void }): Promise<Summary> {
  const requests = Array.from({ length: REQUESTS }, () => signedRequest(input));
  const connections = await Promise.all(
    Array.from({ length: input.connections }, () => RawConnection.open(input.port)),
  );
  let turn = 0;
  const summary = await driveLanes(input.connections, { ...input, ...report }, async (lane) => {
    turn += 1;
    const request = requests[turn % REQUESTS];
    const answer = request === undefined ? undefined : await connections[lane]?.send(request);
    return answer?.status === 200;
  });
  for (const connection of connections) connection.close();
  return summary;
}

if (import.meta.main) serveTask(load);
