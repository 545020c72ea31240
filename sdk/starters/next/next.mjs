// Starts Next.js with the PORT of .env, which it reads too late by itself, and on this machine alone.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

const HOST = '127.0.0.1';

process.loadEnvFile('.env');
if (process.argv[2] !== 'build') {
  const probe = createServer();
  try {
    await once(probe.listen(Number(process.env.PORT || 4242), HOST), 'listening');
  } catch (error) {
    console.error(
      `The shop cannot listen (${error.message}). Set another PORT in .env; npm run listen reads it there too.`,
    );
    process.exit(1);
  }
  probe.close();
  process.argv.push('-H', HOST);
}
createRequire(import.meta.url)('next/dist/bin/next');
