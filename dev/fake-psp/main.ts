// A PSP to wire live mode with, without a bank (docs/design/fake-psp.md#by-hand).
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { controlPsp } from './control.ts';
import { Kept, type WiringFiles } from './kept.ts';
import { type FakePsp, type MerchantCredentials, type ProfileName, profileNames, startFakePsp } from './psp.ts';
import { wiringCommand } from './wiring.ts';

const DEFAULT_PORT = 7443;
const SECOND_MS = 1_000;
const PORT_MAX = 65_534; // the control listens on the one after it

const portOf = (text: string): number => {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`It is a port up to ${PORT_MAX}.`);
};

const dataDir = resolve(process.env.DATA_DIR ?? resolve(import.meta.dirname, '../../.fatura'));

const command = new Command('fake-psp')
  .description("A PSP that speaks the central bank's API Pix, with books in memory")
  .addOption(new Option('--profile <name>', 'whose habits it has').choices(profileNames).default('standard'))
  .option('--port <port>', 'the API; the control listens on the next port', portOf, DEFAULT_PORT)
  .option('--dir <folder>', 'certificates and the merchant, kept for the next start', join(dataDir, 'fake-psp'))
  .option('--trust <file>', "the authority, as PEM, of your server's certificate, for callbacks to https")
  .parse();

const { profile, port, dir, trust } = command.opts<{
  profile: ProfileName;
  port: number;
  dir: string;
  trust?: string;
}>();

try {
  const kept = new Kept(resolve(dir, profile));
  const trusted = trust === undefined ? {} : { trustedPem: readFileSync(trust, 'utf8') };
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const psp = await startFakePsp({ profile, port, clock, identity: await kept.identity(), ...trusted });
  try {
    const merchant = await kept.merchant(psp);
    const files = kept.writeWiring(psp, merchant);
    const advance = (milliseconds: number): void => {
      aheadMs += milliseconds;
    };
    const control = await controlPsp({ psp, merchant, advance }, port + 1);
    // The payer's bank does what it is time for.
    setInterval(() => psp.tick(merchant), SECOND_MS).unref();
    process.stdout.write(welcome({ psp, merchant, files, control }));
  } catch (error) {
    await psp.close();
    throw error;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function welcome(started: {
  psp: FakePsp;
  merchant: MerchantCredentials;
  files: WiringFiles;
  control: string;
}): string {
  const { psp, merchant, files, control } = started;
  return `Fake PSP, profile ${psp.profile.name}: ${psp.baseUrl}
Wire an account with it:

${wiringCommand(psp, merchant, files)}
npm run --silent admin -- acquirer test acct_… --live pix

Its callbacks show a certificate of ${files.callbackCa}.
Pay, return and break at ${control}, or: curl -X POST -H 'content-type: application/json' ${control}/cobs/<txid>/pay -d '{}'
A restart keeps certificates and the merchant, and forgets cobs, recurrences, payments, returns, webhooks and the clock.
`;
}
