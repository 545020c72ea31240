import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const { DATA_DIR = '.', PORT, HOST, NEVER_DRAINS, NEVER_READY, WORKER_TAKES_THE_PORT } = process.env;
if (WORKER_TAKES_THE_PORT) process.exit(1);
writeFileSync(join(DATA_DIR, 'api.pid'), String(process.pid));
const note = (line: string) => appendFileSync(join(DATA_DIR, 'story.log'), `${line}\n`);

const server = createServer((_request, response) => {
  response.statusCode = NEVER_READY ? 503 : 200;
  response.end(JSON.stringify({ status: NEVER_READY ? 'unavailable' : 'ok' }));
});
server.listen(Number(PORT), HOST, () => note('api listens'));
process.on('SIGTERM', () => {
  if (NEVER_DRAINS) return;
  server.close(() => {
    note('api drained');
    process.exit(0);
  });
});
