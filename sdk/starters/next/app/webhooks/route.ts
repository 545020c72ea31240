import { toFetchHandler } from '@fatura/sdk/webhooks';
import { handling } from '../../src/inbox.ts';

export const POST = toFetchHandler(handling);
