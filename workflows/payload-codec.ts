import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { openBytes, sealBytes } from '../server/db/sealed.ts';
import type { KeyRing } from '../server/kernel/key-ring.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** The name under which Temporal's own tools know that a payload is encrypted. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

const textOf = (bytes: Uint8Array | null | undefined): string | null => (bytes ? Buffer.from(bytes).toString() : null);

const boundTo = (keyId: string): Buffer => Buffer.from(`temporal payload ${keyId}`);

/**
 * Seals what Temporal keeps, so that its histories, its database and its UI hold ciphertext alone
 * (docs/design/keys.md#what-temporal-keeps). What was written before is passed as it is.
 */
export function createPayloadCodec(ring: KeyRing): PayloadCodec {
  const { id, sealsPayloads: key } = ring.first;
  const metadata = { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) };
  const seal = (payload: Payload): Payload => {
    const plain = PayloadMessage.encode(payload).finish();
    return { metadata, data: sealBytes(plain, { key, boundTo: boundTo(id) }) };
  };
  const open = (payload: Payload): Payload => {
    if (textOf(payload.metadata?.encoding) !== ENCODING) return payload;
    const keyId = textOf(payload.metadata?.[KEY_ID]) ?? '';
    const found = ring.find(keyId);
    if (found === undefined) throw new Error(`a payload is sealed with the key ${keyId}, which ENCRYPTION_KEYS lacks`);
    const opened = openBytes(payload.data ?? new Uint8Array(), { key: found.sealsPayloads, boundTo: boundTo(keyId) });
    return PayloadMessage.decode(opened);
  };
  return {
    encode: async (payloads) => payloads.map(seal),
    decode: async (payloads) => payloads.map(open),
  };
}
