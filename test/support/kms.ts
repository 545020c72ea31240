import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';

/** What a KMS of a test does with the next calls. */
type Mood = 'well' | 'denies' | 'away';

/** A real AES-GCM under a key that never leaves; it opens under the same context alone. */
function keptKey() {
  const key = randomBytes(32);
  return {
    seal(plain: Buffer, context: string): Buffer {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed: Buffer, context: string): Buffer {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(-16));
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    },
  };
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>) {
  const kms = { mood: 'well' as Mood, calls: 0, url: '', stop: async () => {} };
  const server = createServer(async (request, response) => {
    kms.calls += 1;
    if (kms.mood === 'away') return void request.socket.destroy();
    await answer(request, response, await text(request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  kms.url = `http://127.0.0.1:${address.port}`;
  kms.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return kms;
}

export type TestKms = Awaited<ReturnType<typeof serve>>;

export const AWS_ARN = 'arn:aws:kms:sa-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/** Whether a request is signed as AWS demands, by the library of somebody else. */
async function isSigned(request: IncomingMessage, url: string, body: string): Promise<boolean> {
  const { authorization = '' } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const signed = names.filter((name) => name !== 'host').map((name) => [name, String(request.headers[name])]);
  const signer = new AwsV4Signer({
    ...CREDENTIALS,
    method: 'POST',
    url: `${url}${request.url}`,
    headers: Object.fromEntries(signed),
    body,
    service: 'kms',
    region: 'sa-east-1',
    datetime: String(request.headers['x-amz-date']),
    allHeaders: true,
  });
  const { headers } = await signer.sign();
  return headers.get('authorization') === authorization;
}

/** AWS KMS as far as a symmetric key goes: JSON 1.1 over HTTP, signed by version 4. */
export async function startAwsKms() {
  const key = keptKey();
  const kms = await serve(async (request, response, body) => {
    const refuse = (type: string, message: string) =>
      response
        .writeHead(400, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify({ __type: type, message }));
    if (!(await isSigned(request, kms.url, body))) return void refuse('IncompleteSignatureException', 'not signed');
    if (kms.mood === 'denies') return void refuse('AccessDeniedException', 'the role may not use the key');
    const { KeyId, Plaintext, CiphertextBlob, EncryptionContext = {} } = JSON.parse(body);
    if (KeyId !== AWS_ARN) return void refuse('NotFoundException', 'there is no such key');
    const context = JSON.stringify(EncryptionContext);
    const told = (value: object) =>
      response
        .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify({ KeyId, ...value }));
    if (request.headers['x-amz-target'] === 'TrentService.Encrypt')
      return void told({ CiphertextBlob: key.seal(Buffer.from(Plaintext, 'base64'), context).toString('base64') });
    try {
      told({ Plaintext: key.open(Buffer.from(CiphertextBlob, 'base64'), context).toString('base64') });
    } catch {
      refuse('InvalidCiphertextException', 'it opens nothing');
    }
  });
  const settings = {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
  return Object.assign(kms, { settings, reference: `awskms:${AWS_ARN}` });
}

const VAULT_TOKEN = 'hvs.CAESIJtest';

/** Vault's transit engine, as far as encrypting and decrypting go; its key has versions. */
export async function startVault() {
  const versions = [keptKey()];
  const kms = await serve(async (request, response, body) => {
    const tell = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const isKnown =
      request.headers['x-vault-token'] === VAULT_TOKEN && request.headers['x-vault-namespace'] === 'billing';
    if (!isKnown || kms.mood === 'denies') return void tell(403, { errors: ['permission denied'] });
    const [, verb] = /^\/v1\/secrets\/transit\/(encrypt|decrypt)\/fatura$/.exec(request.url ?? '') ?? [];
    const { plaintext = '', ciphertext = '' } = JSON.parse(body);
    const [, version = '0', sealed = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
    const newest = versions.length;
    const opened = versions[Number(version) - 1];
    if (verb === 'encrypt') {
      const made = versions[newest - 1]?.seal(Buffer.from(plaintext, 'base64'), '').toString('base64');
      return void tell(200, { data: { ciphertext: `vault:v${newest}:${made}`, key_version: newest } });
    }
    if (verb !== 'decrypt' || opened === undefined) return void tell(400, { errors: ['encryption key not found'] });
    tell(200, { data: { plaintext: opened.open(Buffer.from(sealed, 'base64'), '').toString('base64') } });
  });
  const settings = { VAULT_ADDR: kms.url, VAULT_TOKEN, VAULT_NAMESPACE: 'billing' };
  const rotate = () => void versions.push(keptKey());
  return Object.assign(kms, { settings, reference: 'vault:secrets/transit/fatura', rotate });
}
