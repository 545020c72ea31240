import { isDeeperThan, JSON_DEPTH_MAX } from '../../../../contract/json.ts';
import { readScope } from '../../../accounts/scope.ts';
import { mine, statement } from '../../../db/statement.ts';
import type { Deps } from '../../../deps.ts';
import { type PagarmeSettings, pagarmeUrls } from '../../acquirer/pagarme/settings.ts';
import { SIGNATURE_HEADER, WebhookKeys } from '../../acquirer/pagarme/signature.ts';
import type { NoticeReferences } from '../../acquirer/port.ts';
import { tokenIndexOf } from '../../intents/rows.ts';
import type { Callback, NoticeVerdict } from '../method.ts';

/** By where they are: the keys are the same for every merchant. */
const keysByUrl = new Map<string, WebhookKeys>();

function keysOf(settings: PagarmeSettings): WebhookKeys {
  const { jwks } = pagarmeUrls(settings);
  const keys = keysByUrl.get(jwks) ?? new WebhookKeys(jwks);
  keysByUrl.set(jwks, keys);
  return keys;
}

/** Has the cases of what a webhook names ask Pagar.me what is true (docs/design/pagarme.md#webhooks). */
export async function receiveHook(
  deps: Deps,
  { accountId, settings }: { accountId: string; settings: PagarmeSettings },
  { headers, text }: Callback,
): Promise<NoticeVerdict> {
  const signature = headers[SIGNATURE_HEADER];
  const isSigned = typeof signature === 'string' ? await keysOf(settings).signed(text, signature) : false;
  if (isSigned === null) return 'keys_unreadable';
  if (!isSigned) {
    deps.logger.warn(
      { account: accountId, shown: signature !== undefined },
      'a webhook without a right signature was refused',
    );
    return 'signature_refused';
  }
  const acquirer = await deps.acquirers.live.card(accountId);
  const references = acquirer?.receive?.(parse(text)) ?? null;
  if (references === null) return 'unreadable';
  await askAbout(deps, accountId, references);
  return 'taken';
}

function parse(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return isDeeperThan(body, JSON_DEPTH_MAX) ? null : body;
  } catch {
    return null;
  }
}

const findOurs = statement<{ intentId: string }>(
  'find_charges_of_notice',
  `SELECT c.intent_id AS "intentId" FROM charge_attempt c WHERE c.id = ANY(:references) AND ${mine('c')} ORDER BY c.id`,
);

const askOfCards = statement<{ id: string }>(
  'ask_of_cards_of_notice',
  `UPDATE payment_method m SET asked_at = clock_timestamp() WHERE m.token_index = ANY(:tokens::bytea[]) AND m.deleted_at IS NULL AND ${mine('m')} RETURNING m.id`,
);

/** What is no charge of this account and no card of it, is nobody's business here. */
async function askAbout(deps: Deps, accountId: string, { charges = [], cards = [] }: NoticeReferences): Promise<void> {
  if (charges.length === 0 && cards.length === 0) return;
  const scope = await readScope(deps.pool, { accountId, liveMode: true });
  await deps.transaction(scope, async (tx) => {
    const tokens = cards.map((token) => tokenIndexOf(deps.secretBox, scope, token));
    for (const { id } of cards.length === 0 ? [] : await tx.query(askOfCards, { tokens }))
      tx.enqueue({ kind: 'stored-card', key: id });
    for (const { intentId } of await tx.query(findOurs, { references: charges }))
      tx.enqueue({ kind: 'charge-reconciliation', key: intentId });
  });
}
