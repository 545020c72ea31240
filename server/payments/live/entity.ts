import { defineEntity } from '@mikro-orm/core';
import { ofLogin, p, reached } from '../../db/columns.ts';

/** Who moves the live money of each account. */
export const LiveAcquirerSchema = defineEntity({
  name: 'LiveAcquirer',
  tableName: 'live_acquirer',
  policies: [reached(`current_setting('fatura.live', true) IN (account_id, '*')`), ofLogin('sandbox', 'false')],
  properties: {
    accountId: p.idOf('account').primary(),
    method: p.enum(['pix', 'card'] as const).primary(),
    profile: p.text(),
    /** Sealed as a whole. */
    settings: p.blob(),
    /** A keyed hash of the secret path of its callbacks. */
    noticeHash: p.blob().unique(),
    certificateEndsAt: p.timestamp().nullable(),
    sweptUntil: p.whole(),
    returnsSweptAt: p.whole().default(0),
    createdAt: p.stamp(),
    changedAt: p.stamp(),
    /** Days before the end of which the last letter told; of a new certificate none has. */
    certificateWarned: p.smallint().check('certificate_warned > 0').nullable(),
  },
});
