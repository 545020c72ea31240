import type { Server } from 'node:net';
import { whatIsMissing } from './settings.ts';

/** This machine alone: a shop on trial is shown to nobody else. In production a proxy stands in front, or this is 0.0.0.0. */
const HOST = '127.0.0.1';
const PORT_MAX = 65_535;

function endSaying(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** The shop does not open without its settings. */
export function requireSettings(): void {
  const missing = whatIsMissing();
  if (missing !== null) endSaying(missing);
}

function readPort(): number {
  const text = process.env.PORT || '4242';
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port <= PORT_MAX
    ? port
    : endSaying(`PORT must be a whole number from 1 to ${PORT_MAX}; it is ${text}`);
}

/** Opens the shop at PORT of .env; where it cannot, a sentence says why. */
export function open(server: Server): void {
  const port = readPort();
  server.on('error', (error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'another program has it' : error.message;
    endSaying(
      `The shop cannot listen on port ${port}: ${why}. Set another PORT in .env; npm run listen reads it there too.`,
    );
  });
  server.listen(port, HOST, () => console.log(`The shop is open: http://localhost:${port}`));
}
