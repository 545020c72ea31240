import { X509Certificate } from 'node:crypto';
import { isDeeperThan, JSON_DEPTH_MAX } from '../../../../contract/json.ts';
import { readScope } from '../../../accounts/scope.ts';
import { mine, statement } from '../../../db/statement.ts';
import type { Deps } from '../../../deps.ts';
import { realTimeMs } from '../../../kernel/time.ts';
import { type ApiPixSettings, readAuthorities } from '../../acquirer/api-pix/settings.ts';
import type { NoticeReferences } from '../../acquirer/port.ts';
import type { Callback, NoticeVerdict } from '../method.ts';

const TXID = /^[0-9a-z]{26}$/;
/** `R`, whether it is tried again, the bank, the day, and characters of chance. */
const REC_ID = /^R[RN]\d{16}[0-9A-Za-z]{11}$/;
/** Asked about by one callback; what a bank tells beyond, the sweep finds. */
const TXIDS_MAX = 500;

/** Has the case of each QR code, debit and mandate that a callback names ask what is true (docs/design/api-pix.md#callbacks). */
export async function receiveNotice(
  deps: Deps,
  { accountId, settings: { callbackCa } }: { accountId: string; settings: ApiPixSettings },
  { certificate, text }: Callback,
): Promise<NoticeVerdict> {
  if (callbackCa !== null && !isSignedBy(certificate, callbackCa)) {
    deps.logger.warn(
      { account: accountId, shown: certificate !== null },
      'a callback without the certificate of the PSP was refused',
    );
    return 'certificate_refused';
  }
  const acquirer = await deps.acquirers.live.pix(accountId);
  const references = acquirer?.receive?.(parse(text)) ?? null;
  if (references === null) return 'unreadable';
  await askAbout(deps, accountId, references);
  return 'taken';
}

function parse(text: string): unknown {
  // A PSP that tries the address sends nothing.
  if (text === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    return isDeeperThan(body, JSON_DEPTH_MAX) ? null : body;
  } catch {
    return null;
  }
}

const findOurs = statement<{ id: string }>(
  'find_qr_codes_of_notice',
  `SELECT c.id FROM pix_charge c WHERE c.id = ANY(:txids) AND ${mine('c')} ORDER BY c.id`,
);

const askOfMandates = statement<{ id: string }>(
  'ask_of_mandates_of_notice',
  `UPDATE mandate m SET asked_at = now() WHERE m.bank_ref = ANY(:mandates) AND ${mine('m')} RETURNING m.id`,
);

/** Has the cases of QR codes, debits and mandates ask the acquirer; what is none of this account is nobody's business here. */
async function askAbout(
  deps: Deps,
  accountId: string,
  { txids = [], debits = [], mandates = [] }: NoticeReferences,
): Promise<void> {
  const possible = [...txids, ...debits].filter((txid) => TXID.test(txid)).slice(0, TXIDS_MAX);
  const named = mandates.filter((bankRef) => REC_ID.test(bankRef)).slice(0, TXIDS_MAX);
  if (possible.length === 0 && named.length === 0) return;
  const scope = await readScope(deps.pool, { accountId, liveMode: true });
  await deps.transaction(scope, async (tx) => {
    for (const { id } of await tx.query(findOurs, { txids: possible })) tx.enqueue({ kind: 'pix-settlement', key: id });
    for (const { id } of await tx.query(askOfMandates, { mandates: named }))
      tx.enqueue({ kind: 'pix-mandate', key: id });
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
