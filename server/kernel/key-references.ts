/** A key of a ring that a key management service (KMS) wraps; the whole reference names it, wherever it is named. */
export type KeyReference = { readonly reference: string } & (
  | { readonly kms: 'awskms'; readonly arn: string; readonly region: string }
  | { readonly kms: 'vault'; readonly mount: string; readonly key: string }
);

/** Behind it a label: with another label the same key of the KMS wraps another key of ours. */
const LABEL = '(?:#[a-z0-9_-]{1,32})?';
const AWS = new RegExp(`^awskms:(arn:aws[a-z-]*:kms:([a-z0-9-]+):\\d{12}:key/[a-zA-Z0-9-]{1,64})${LABEL}$`);
const VAULT = new RegExp(`^vault:((?:[\\w.-]+/)+)([\\w.-]{1,128})${LABEL}$`);

export const REFERENCE_FORMS =
  'awskms:arn:aws:kms:<region>:<account>:key/<id> or vault:<mount>/<key>, each with #<label> behind it where one has several';

/** Whether the text is meant as one, be it right or wrong. */
export const isReference = (text: string): boolean => /^(?:awskms|vault):/.test(text);

/** Null: it has neither form. */
export function readReference(reference: string): KeyReference | null {
  const [, arn, region] = AWS.exec(reference) ?? [];
  if (arn !== undefined && region !== undefined) return { reference, kms: 'awskms', arn, region };
  const [, mount, key] = VAULT.exec(reference) ?? [];
  if (mount !== undefined && key !== undefined) return { reference, kms: 'vault', mount: mount.slice(0, -1), key };
  return null;
}

/** Whether a key of a ring is meant as one of Vault, be it right or wrong. */
export const namesVault = (ring: string): boolean => ring.split(',').some((key) => key.trim().startsWith('vault:'));
