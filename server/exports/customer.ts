import { CUSTOMER_EXPORT_MIB_MAX, type CustomerExport } from '../../contract/customer-export.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { exportCustomer } from './customer-data.ts';

const BYTES_MAX = CUSTOMER_EXPORT_MIB_MAX * 1_024 * 1_024;

const findCustomer = statement<{ id: string }>(
  'find_customer_to_copy',
  `SELECT c.id FROM customer c WHERE c.id = :id AND ${mine('c')}`,
);

const tooLarge = (id: string): BillingError =>
  new BillingError('EXPORT_TOO_LARGE', {
    message: `The data of ${id} are more than ${CUSTOMER_EXPORT_MIB_MAX} MiB as JSON; whoever runs the service exports them with \`admin customer export\``,
  });

/** All that is stored of a customer. Who asks is logged first, so that a copy that came to nothing is known of too. */
export async function exportCustomerData(deps: Deps, scope: Scope, id: string): Promise<CustomerExport> {
  await deps.transaction(scope, async (tx) => {
    const [customer] = await tx.query(findCustomer, { id });
    if (customer === undefined) throw missing('customer', id);
    tx.log({ action: 'customer.exported', object: id, before: null, after: null });
  });
  const { accountId, liveMode } = scope;
  const pieces: string[] = [];
  let bytes = 0;
  await exportCustomer(deps, { accountId, liveMode, customerId: id }, async (piece) => {
    bytes += Buffer.byteLength(piece);
    if (bytes > BYTES_MAX) throw tooLarge(id);
    pieces.push(piece);
  });
  // It was written in this form.
  return JSON.parse(pieces.join('')) as CustomerExport;
}
