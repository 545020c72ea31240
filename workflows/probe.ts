import { Connection } from '@temporalio/client';
import type { Config } from '../server/config.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';
import { temporalAddress, transport } from './temporal.ts';

/** What a look at Temporal told. */
interface Probed {
  /** Null: it does not tell. */
  readonly missingAttributes: readonly string[] | null;
}

/** Asks Temporal for our namespace; throws where it does not answer, or knows none of that name. */
export async function probeTemporal(config: Config['temporal']): Promise<Probed> {
  const address = temporalAddress(config);
  const { namespace } = address;
  const connection = await Connection.connect(transport(address));
  try {
    await connection.workflowService.describeNamespace({ namespace });
    const known = await connection.operatorService.listSearchAttributes({ namespace }).catch(() => null);
    if (known === null) return { missingAttributes: null };
    const { customAttributes } = known;
    return { missingAttributes: Object.keys(SEARCH_ATTRIBUTES).filter((name) => !(name in (customAttributes ?? {}))) };
  } finally {
    await connection.close();
  }
}
