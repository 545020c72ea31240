import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';

/** What operators search workflows by. The server of `npm start` is begun with them; the worker adds what another lacks. */
export const SEARCH_ATTRIBUTES = {
  FaturaAccount: 'Keyword',
  FaturaObject: 'Keyword',
  FaturaStatus: 'Keyword',
  FaturaNextDue: 'Datetime',
} as const;

/** The numbers of Temporal's IndexedValueType. */
const TYPES = { Keyword: 2, Datetime: 6 } as const;

/** Registers the search attributes that the namespace lacks, where we may; else says what an operator has to do. */
export async function ensureSearchAttributes(client: Client, namespace: string, logger: Logger): Promise<void> {
  const { operatorService } = client.connection;
  const known = await operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    // Temporal Cloud does not tell: cases will, if they are missing.
    logger.info({ err: error }, 'the search attributes of the namespace cannot be listed; taken for granted');
    return null;
  });
  if (known === null) return;
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (known.customAttributes ?? {})));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, TYPES[type]]));
  try {
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    const flags = missing.map(([name, type]) => `--name ${name} --type ${type}`).join(' ');
    logger.error({ err: error, namespace }, `run: temporal operator search-attribute create ${flags}`);
    throw error;
  }
}
