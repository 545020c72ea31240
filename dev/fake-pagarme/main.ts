// Pagar.me to wire live cards with, without an account there (docs/design/fake-pagarme.md#by-hand).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { controlPagarme } from './control.ts';
import { startFakePagarme } from './pagarme.ts';

const DEFAULT_PORT = 7453;
const PORT_MAX = 65_534; // the control listens on the one after it
/** The same keys at each start: an account that is wired stays so. */
const SEED = 1_995;

const portOf = (text: string): number => {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`It is a port up to ${PORT_MAX}.`);
};

const dataDir = resolve(process.env.DATA_DIR ?? resolve(import.meta.dirname, '../../.fatura'));

const command = new Command('fake-pagarme')
  .description("Pagar.me's core API, version 5, with books in memory")
  .option('--port <port>', 'the API; the control listens on the next port', portOf, DEFAULT_PORT)
  .option('--dir <folder>', 'where the file with the secret key is written', join(dataDir, 'fake-pagarme'))
  .option('--hook <url>', 'where webhooks are sent: what `admin acquirer show --callback-url` says')
  .parse();

const { port, dir, hook } = command.opts<{ port: number; dir: string; hook?: string }>();

const fake = await startFakePagarme({ port, seed: SEED });
const merchant = fake.newMerchant();
merchant.hookUrl = hook ?? null;
const keyFile = join(dir, 'secret-key');
mkdirSync(dir, { recursive: true });
writeFileSync(keyFile, `${merchant.secretKey}\n`, { mode: 0o600 });
const control = await controlPagarme(fake, merchant, port + 1);
process.stdout.write(`Fake Pagar.me: ${fake.baseUrl}
Wire an account with it:

npm run --silent admin -- acquirer set acct_… \\
  --live card --secret-key-file ${keyFile} --public-key ${merchant.publicKey} \\
  --api-url ${fake.baseUrl} --jwks-url ${fake.jwksUrl}
npm run --silent admin -- acquirer test acct_… --live card
npm run --silent admin -- acquirer show acct_… --live card --callback-url

Webhooks go ${hook === undefined ? `nowhere yet: curl -X POST -H 'content-type: application/json' ${control}/hook -d '{"url":"…"}'` : `to ${hook}`}
Approve, charge back and break at ${control}
A restart keeps the keys, and forgets customers, cards, orders and the address of webhooks.
`);
