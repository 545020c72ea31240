import type { MandateInput, Mandate as MandateView } from '../../../contract/mandates.ts';
import { retrieveCustomer } from '../../customers/customers.ts';
import type { Deps } from '../../deps.ts';
import { BillingError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { acquirerUnavailable, requireAcquirer } from '../../payments/acquirer/ask.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { Subscription } from '../entity.ts';
import { type Contracted, lockSubscription } from '../rows.ts';
import { PENDING_SECONDS } from '../rules.ts';
import type { Mandate } from './entity.ts';
import { bookEnd } from './follow.ts';
import { viewWithQr } from './qr.ts';
import { mandates, openMandateOf } from './rows.ts';
import { mandatePeriodOf, mandateRecurrence, recurringAmount, startsOnOf } from './terms.ts';
import { viewMandate } from './view.ts';

/** 422 where the acquirer of the account and mode debits nothing by mandate. */
export async function requireMandates(deps: Deps, scope: Scope): Promise<void> {
  const { offersMandates } = await requireAcquirer(deps, scope, 'pix');
  if (offersMandates) return;
  throw new BillingError('MANDATE_UNSUPPORTED', {
    message:
      'The acquirer of the account offers no Pix Automático, or was not told the account that debits are paid into',
  });
}

/** Asks the buyer of a running subscription for a mandate alone; answers the QR code (docs/product/pix-automatico.md#another-way-to-pay). */
export async function createMandate(
  deps: Deps,
  scope: Scope,
  { subscriptionId, order }: { subscriptionId: string; order: MandateInput },
): Promise<MandateView> {
  const opened = await deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, subscriptionId);
    refuseUnlessRunning(contracted.subscription);
    return openMandate(tx, contracted, { ...order, firstTxid: null, expiresAt: tx.now + PENDING_SECONDS });
  });
  const made = await finishMandate(deps, scope, opened);
  const view = await viewWithQr(made);
  return deps.transaction(scope, async (tx) => tx.answer(view));
}

function refuseUnlessRunning({ id, status }: Subscription): void {
  if (status === 'active' || status === 'trialing') return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} is ${status}: a mandate alone is for one that is active or in its trial; others check out by pix_automatico`,
  });
}

export const mandateExists = ({ subscription: { id } }: Contracted, { id: mandate, status }: Mandate): BillingError =>
  new BillingError('MANDATE_EXISTS', { message: `${id} has the ${status} mandate ${mandate}: cancel it first` });

interface MandateOrder extends Pick<MandateInput, 'journey' | 'amount_type' | 'minimum_amount'> {
  readonly firstTxid: string | null;
  readonly expiresAt: Timestamp;
}

/** The pending mandate of a subscription that asks for the same, whose making was interrupted; else a new one. */
export async function openMandate(
  tx: Tx,
  contracted: Contracted,
  order: Omit<MandateOrder, 'journey'> & { journey: Mandate['journey'] },
): Promise<Mandate> {
  const { subscription } = contracted;
  const { journey, amount_type: amountType = 'variable', minimum_amount: minimumAmount = null, firstTxid } = order;
  const former = await openMandateOf(tx, contracted);
  if (former !== null) {
    const isSame = former.status === 'pending' && former.journey === journey && former.firstTxid === firstTxid;
    if (isSame && (former.copyPaste == null || journey === 'first_payment')) return former;
    throw mandateExists(contracted, former);
  }
  const recurrence = mandateRecurrence(contracted);
  const mandate = tx.insert(mandates, {
    id: newId('mdt'),
    subscriptionId: subscription.id,
    customerId: subscription.customerId,
    journey,
    amountType,
    amount: amountType === 'fixed' ? recurringAmount(contracted) : null,
    minimumAmount,
    ...recurrence,
    startsOn: startsOnOf(contracted, tx.now),
    firstTxid,
    expiresAt: order.expiresAt,
  });
  subscription.mandateId = mandate.id;
  tx.record('mandate.created', viewMandate(mandate));
  tx.enqueue({ kind: 'pix-mandate', key: mandate.id, afterSeconds: FIRST_LOOK });
  return mandate;
}

/** Longer than it takes to make one. */
const FIRST_LOOK = 60;

/** Of the text by which the payer's bank shows what is authorised. */
const TITLE_MAX = 35;

/** Has the acquirer make a mandate, any number of times; what it refuses has failed. */
export async function finishMandate(deps: Deps, scope: Scope, opened: Mandate): Promise<Mandate> {
  if (opened.copyPaste != null) return opened;
  const isRepeat = opened.place != null;
  const mandate = isRepeat ? opened : await place(deps, scope, opened);
  const { name, identifier } = await retrieveCustomer(deps, scope, mandate.customerId);
  const period = mandatePeriodOf(mandate);
  if (identifier === null || period === null || mandate.place == null)
    throw new Error(`${mandate.id} cannot be made of what is known`);
  const request = {
    place: mandate.place,
    contract: mandate.id.slice('mdt_'.length),
    title: titleOf(scope),
    debtor: { name, document: identifier },
    firstTxid: mandate.firstTxid ?? null,
    startsOn: mandate.startsOn,
    period,
    fixed: mandate.amount ?? null,
    minimum: mandate.minimumAmount ?? null,
    isRepeat,
  };
  const made = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.createMandate(merchant, request));
  if (made.known) return changeMandate(deps, scope, mandate, (_, __, kept) => void Object.assign(kept, made.value));
  if (made.why === 'refused')
    await changeMandate(deps, scope, mandate, (tx, contracted, kept) =>
      bookEnd(tx, contracted, { mandate: kept, reason: 'rejected' }),
    );
  throw made.why === 'refused' || made.why === 'unreachable'
    ? acquirerUnavailable('The acquirer cannot be reached, or refuses to make the mandate')
    : new BillingError('ACQUIRER_TIMEOUT', {
        message: `The acquirer did not answer in time; repeat to get the QR code of ${mandate.id}`,
      });
}

const titleOf = ({ account: { name } }: Scope): string => name.slice(0, TITLE_MAX);

/** The place is committed before the mandate is made there: what may have been made is found by it. */
async function place(deps: Deps, scope: Scope, mandate: Mandate): Promise<Mandate> {
  const answer = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.placeMandate(merchant));
  if (!answer.known) throw acquirerUnavailable('The acquirer cannot be reached to make the mandate');
  return changeMandate(deps, scope, mandate, (_, __, kept) => {
    kept.place ??= answer.value;
  });
}

/** Changes a mandate that is pending still; 409 otherwise. */
function changeMandate(
  deps: Deps,
  scope: Scope,
  { id, subscriptionId }: Mandate,
  change: (tx: Tx, contracted: Contracted, mandate: Mandate) => void | Promise<void>,
): Promise<Mandate> {
  return deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, subscriptionId);
    const mandate = await tx.lock(mandates, id);
    if (mandate.status !== 'pending')
      throw new BillingError('INVALID_STATE', { message: `${id} is ${mandate.status} meanwhile` });
    await change(tx, contracted, mandate);
    return mandate;
  });
}
