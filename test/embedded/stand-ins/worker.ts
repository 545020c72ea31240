import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { DATA_DIR = '.', PORT, HOST, WORKER_TAKES_THE_PORT } = process.env;
writeFileSync(join(DATA_DIR, 'worker.pid'), String(process.pid));
const note = (line: string) => appendFileSync(join(DATA_DIR, 'story.log'), `${line}\n`);

process.on('SIGTERM', async () => {
  await sleep(200); // long enough to show who waits for whom
  note('worker drained');
  process.exit(0);
});
// From here on it drains when it is asked to end.
note('worker started');
if (WORKER_TAKES_THE_PORT) {
  createServer((_request, response) => response.end('<title>Temporal</title>')).listen(Number(PORT), HOST);
}
setInterval(() => {}, 60_000);
