import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { openBytes, sealBytes } from '../server/sealing/sealed.ts';
import type { SecretBox } from '../server/sealing/secret-box.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** The name under which Temporal's own tools know that a payload is encrypted. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
/** Says that the key is the database's own. */
const OF_DATABASE = 'database';

const textOf = (bytes: Uint8Array | null | undefined): string | null => (bytes ? Buffer.from(bytes).toString() : null);

const boundTo = (keyId: string): Buffer => Buffer.from(`temporal payload ${keyId}`);

const isSealed = ({ metadata }: Payload): boolean => textOf(metadata?.encoding) === ENCODING;

function open(box: SecretBox, payload: Payload): Payload {
  const keyId = textOf(payload.metadata?.[KEY_ID]) ?? '';
  if (keyId !== OF_DATABASE) throw new Error(`a payload is sealed with the key ${keyId}, so it is none of ours`);
  const sealed = payload.data ?? new Uint8Array();
  return PayloadMessage.decode(openBytes(sealed, { key: box.payloadKey, boundTo: boundTo(keyId) }));
}

/**
 * Seals what Temporal keeps, so that its histories, its database and its UI hold ciphertext alone
 * (docs/design/keys.md#what-temporal-keeps). A payload in clear was put there by somebody else.
 */
export function createPayloadCodec(box: SecretBox): PayloadCodec {
  const metadata = { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(OF_DATABASE) };
  const seal = (payload: Payload): Payload => {
    const plain = PayloadMessage.encode(payload).finish();
    return { metadata, data: sealBytes(plain, { key: box.payloadKey, boundTo: boundTo(OF_DATABASE) }) };
  };
  const take = (payload: Payload): Payload => {
    if (!isSealed(payload)) throw new Error('a payload is not sealed, so it is none of ours');
    return open(box, payload);
  };
  return {
    encode: async (payloads) => payloads.map(seal),
    decode: async (payloads) => payloads.map(take),
  };
}

/** Opens payloads for people, who are shown those in clear as well. */
export const createPayloadReader = (box: SecretBox): Pick<PayloadCodec, 'decode'> => ({
  decode: async (payloads) => payloads.map((payload) => (isSealed(payload) ? open(box, payload) : payload)),
});
