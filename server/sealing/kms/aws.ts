import { KMS_TIMEOUT_MS, KMS_TRIES, type Kms, KmsFault } from './port.ts';

/** Shown in CloudTrail, and what a policy may ask for: the key unwraps nothing else. */
const EncryptionContext = { purpose: 'fatura data key' };

function faultOf(error: unknown): KmsFault {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? null;
  // Without credentials nothing is asked, and asking again would find none.
  const refused = (status !== null && status < 500) || name === 'CredentialsProviderError';
  return new KmsFault('AWS KMS', { refused, why: `${name}: ${message}` });
}

/** A symmetric key of AWS KMS. Credentials come as the AWS SDK finds them: from the environment, a role of the pod or the machine. */
export async function openAwsKms({ arn: KeyId, region }: { arn: string; region: string }): Promise<Kms> {
  // Nobody else needs it.
  const { DecryptCommand, EncryptCommand, KMSClient } = await import('@aws-sdk/client-kms');
  const requestHandler = {
    requestTimeout: KMS_TIMEOUT_MS,
    connectionTimeout: KMS_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  };
  const client = new KMSClient({ region, maxAttempts: KMS_TRIES, requestHandler });
  const refuseNothing = (): never => {
    throw new KmsFault('AWS KMS', { refused: true, why: 'its answer has no key' });
  };
  return {
    async wrap(Plaintext) {
      const { CiphertextBlob: wrapped } = await client
        .send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext }))
        .catch((error: unknown) => Promise.reject(faultOf(error)));
      return wrapped === undefined ? refuseNothing() : Buffer.from(wrapped).toString('base64');
    },
    async unwrap(wrapped) {
      const CiphertextBlob = Buffer.from(wrapped, 'base64');
      const { Plaintext: key } = await client
        .send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }))
        .catch((error: unknown) => Promise.reject(faultOf(error)));
      return key ?? refuseNothing();
    },
  };
}
