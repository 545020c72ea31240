import { codeOf } from '../../../kernel/errors.ts';
import { clip, oneLine } from '../../../kernel/text.ts';
import { type ConnectionStage, type Dialling, RefusedAddress } from './guarded-connector.ts';
import { UnresolvedName } from './name-resolver.ts';

/** Why a delivery was not accepted (docs/product/webhooks.md#failure-kinds). */
export type SendFailure =
  | 'dns'
  | 'connect_timeout'
  | 'tls'
  | 'timeout'
  | 'redirect_refused'
  | 'private_address'
  | 'http_status'
  | 'connection';

/** An answer of more bytes than any that is read. */
export class OverlongAnswer extends Error {
  override readonly name = 'OverlongAnswer';
}

const DETAIL_MAX = 500;

/** In words for the receiver's owner: the system's own speak to whoever runs this process. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain ends in a self-signed certificate that is not a known authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of a certificate in the chain is not a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the issuer of the certificate is not a known authority, or the chain is not complete',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain is not complete: the receiver sends its certificate without its issuer',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
};

export function lateDial(stage: ConnectionStage, hostname: string, timeoutMs: number): [SendFailure, string] {
  if (stage === 'resolving') return ['dns', `${hostname} did not resolve within ${timeoutMs} ms`];
  return ['connect_timeout', `no ${stage === 'securing' ? 'TLS handshake' : 'TCP connection'} within ${timeoutMs} ms`];
}

export function isClosedByPeer(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? ''); // the last: undici saw the end of the stream
}

export function failureOf(error: Error, { stage }: Pick<Dialling, 'stage'>): SendFailure {
  if (error instanceof RefusedAddress) return 'private_address';
  if (error instanceof UnresolvedName) return 'dns';
  if (stage === 'securing' || /^ERR_(?:SSL|TLS)_|^EPROTO$/.test(codeOf(error) ?? '')) return 'tls';
  return stage === 'connecting' && codeOf(error) === 'ETIMEDOUT' ? 'connect_timeout' : 'connection';
}

export function describe(error: Error): string {
  if ([RefusedAddress, UnresolvedName, OverlongAnswer].some((own) => error instanceof own)) return error.message;
  const code = codeOf(error) ?? error.name;
  const words = CERTIFICATE_FAULTS[code] ?? tlsReason(error, code) ?? error.message;
  return words === '' ? code : `${code}: ${words}`;
}

/** What OpenSSL found, without where in its own code. */
function tlsReason(error: Error, code: string): string | null {
  return code.startsWith('ERR_SSL_') && 'reason' in error && typeof error.reason === 'string' ? error.reason : null;
}

export function bounded(text: string, max: number = DETAIL_MAX): string {
  return clip(oneLine(text), max);
}
