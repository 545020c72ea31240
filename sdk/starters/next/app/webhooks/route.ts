import { toFetchHandler } from '@fatura/sdk/webhooks';
import { handling } from '../../src/inbox.ts';

/** Made when it is called: `next build` loads this file too, maybe where the secret is not known. */
export const POST = (request: Request): Promise<Response> => toFetchHandler(handling)(request);
