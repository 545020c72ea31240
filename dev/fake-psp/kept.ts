import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type FakePsp, type MerchantCredentials, newPspIdentity, type PspIdentity } from './psp.ts';

const OWNER_ONLY = 0o600;
const OWNER_FOLDER = 0o700;

const Pem = z.object({ certificatePem: z.string(), keyPem: z.string() });
const Identities = z.object({ server: Pem, clients: Pem, callbacks: Pem });
const Merchant = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  ...Pem.shape,
  pixKey: z.string(),
  extras: z.record(z.string(), z.string()),
});

/** Where a merchant's software finds what it is wired with. */
export interface WiringFiles {
  readonly ca: string;
  readonly callbackCa: string;
  readonly certificate: string;
  readonly key: string;
  readonly clientSecret: string;
}

/** What a folder remembers of a PSP: its authorities and its merchant, not its books. */
export class Kept {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
  }

  async identity(): Promise<PspIdentity> {
    const known = this.read('authorities.json', Identities);
    if (known !== null) return known;
    const made = await newPspIdentity();
    this.write('authorities.json', JSON.stringify(made, null, 2));
    return made;
  }

  /** The merchant of an earlier start, or a new one. */
  async merchant(psp: Pick<FakePsp, 'newMerchant' | 'addMerchant'>): Promise<MerchantCredentials> {
    const known = this.read('merchant.json', Merchant);
    if (known !== null) {
      psp.addMerchant(known);
      return known;
    }
    const made = await psp.newMerchant();
    this.write('merchant.json', JSON.stringify(made, null, 2));
    return made;
  }

  writeWiring(psp: Pick<FakePsp, 'caPem' | 'callbackCaPem'>, merchant: MerchantCredentials): WiringFiles {
    return {
      ca: this.write('ca.pem', psp.caPem),
      callbackCa: this.write('callback-ca.pem', psp.callbackCaPem),
      certificate: this.write('client.pem', merchant.certificatePem),
      key: this.write('client.key', merchant.keyPem),
      clientSecret: this.write('client-secret', merchant.clientSecret),
    };
  }

  private read<Value>(name: string, schema: z.ZodType<Value>): Value | null {
    const path = join(this.folder, name);
    return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
  }

  private write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: OWNER_ONLY });
    return path;
  }
}
