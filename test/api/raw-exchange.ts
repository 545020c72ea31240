import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const BETWEEN_PACKETS_MS = 20;

/** What a service writes to a connection on which these packets came, until it closes the connection. */
export async function exchange(baseUrl: string, ...packets: (string | Buffer)[]): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  const answer = text(socket);
  await once(socket, 'connect');
  for (const packet of packets) {
    socket.write(packet);
    if (packets.length > 1) await new Promise((resolve) => setTimeout(resolve, BETWEEN_PACKETS_MS));
  }
  return answer;
}
