import { X509Certificate } from 'node:crypto';
import { readScope } from '../../accounts/scope.ts';
import { mine, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { realTimeMs } from '../../kernel/time.ts';
import { readAuthorities } from '../acquirer/api-pix/settings.ts';
import { findByNotice, type LiveAcquirerRow, openSettings } from './store.ts';

/** What came of a callback: where nothing else is said, nothing of it is believed and the acquirer is asked. */
export type NoticeVerdict = 'taken' | 'certificate_refused' | 'unreadable';

export interface Callback {
  /** The certificate that the proxy saw, as it hands it on; null: none. */
  readonly certificate: string | null;
  readonly body: unknown;
}

const TOKEN = /^[\w-]{32}$/;
const TXID = /^[0-9a-z]{26}$/;
/** Asked about by one callback; what a bank tells beyond, the sweep finds. */
const TXIDS_MAX = 500;

/** Whose callbacks come to a path, before anything of one is read; null: nobody's. */
export async function findReceiver(deps: Deps, token: string): Promise<LiveAcquirerRow | null> {
  const { pool, secretBox } = deps;
  const row = TOKEN.test(token) ? await findByNotice(pool, { secretBox, token }) : null;
  if (row === null) deps.metrics.acquirerNotices.inc({ outcome: 'unknown_path' });
  return row;
}

/** Takes a callback of an account's acquirer: the case of each QR code that it names asks what is true (docs/design/api-pix.md#callbacks). */
export async function takeNotice(deps: Deps, row: LiveAcquirerRow, callback: Callback): Promise<NoticeVerdict> {
  const verdict = await judge(deps, row, callback);
  deps.metrics.acquirerNotices.inc({ outcome: verdict });
  return verdict;
}

async function judge(deps: Deps, row: LiveAcquirerRow, { certificate, body }: Callback): Promise<NoticeVerdict> {
  const { accountId, method } = row;
  const { callbackCa } = openSettings(deps.secretBox, row).settings;
  if (callbackCa !== null && !isSignedBy(certificate, callbackCa)) {
    deps.logger.warn(
      { account: accountId, shown: certificate !== null },
      'a callback without the certificate of the PSP was refused',
    );
    return 'certificate_refused';
  }
  const acquirer = await deps.acquirers.live[method](accountId);
  const references = acquirer !== null && 'receive' in acquirer ? acquirer.receive?.(body) : null;
  if (references == null) return 'unreadable';
  await askAbout(deps, accountId, references.txids);
  return 'taken';
}

const findOurs = statement<{ id: string }>(
  'find_qr_codes_of_notice',
  `SELECT c.id FROM pix_charge c WHERE c.id = ANY(:txids) AND ${mine('c')} ORDER BY c.id`,
);

/** Has the cases of QR codes ask the acquirer; what is no QR code of this account is nobody's business here. */
export async function askAbout(deps: Deps, accountId: string, txids: readonly string[]): Promise<void> {
  const possible = txids.filter((txid) => TXID.test(txid)).slice(0, TXIDS_MAX);
  if (possible.length === 0) return;
  const scope = await readScope(deps.pool, { accountId, liveMode: true });
  await deps.transaction(scope, async (tx) => {
    for (const { id } of await tx.query(findOurs, { txids: possible })) tx.enqueue({ kind: 'pix-settlement', key: id });
  });
}

/** A header's form of a certificate: PEM, percent-encoded (nginx, Apache, AWS), or Base64 of the DER between colons (RFC 9440). */
function readCertificate(text: string): X509Certificate | null {
  try {
    const [, der] = /^:([A-Za-z0-9+/=]+):$/.exec(text.trim()) ?? [];
    return new X509Certificate(der === undefined ? decodeURIComponent(text) : Buffer.from(der, 'base64'));
  } catch {
    return null;
  }
}

function isSignedBy(text: string | null, caPem: string): boolean {
  const shown = text === null ? null : readCertificate(text);
  if (shown === null) return false;
  const now = new Date(realTimeMs());
  const isValid = shown.validFromDate <= now && now < shown.validToDate;
  const isOf = (ca: X509Certificate): boolean =>
    shown.fingerprint256 === ca.fingerprint256 || (shown.checkIssued(ca) && shown.verify(ca.publicKey));
  return isValid && (readAuthorities(caPem) ?? []).some(isOf);
}
