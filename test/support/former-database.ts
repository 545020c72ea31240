import pg from 'pg';
import { sealFormerly } from '../../server/db/sealed.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';

/** Makes an empty database one that the version without key ids began to seal with a key. */
export async function sealAsFormerly(databaseUrl: string, key: Uint8Array): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const sealed = sealFormerly(Buffer.from('sealed by a former version'), createKeyRing([key]).first.sealedFormerly);
    await client.query('INSERT INTO encryption_canary (sealed) VALUES ($1)', [sealed]);
  } finally {
    await client.end();
  }
}
