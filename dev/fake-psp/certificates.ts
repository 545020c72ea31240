import 'reflect-metadata'; // the library of certificates wants it before itself
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(crypto);

/** A certificate and its key, as PEM. */
export interface Identity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;

/** Certificates are checked against the clock of the machine, whatever clock the books keep. */
const validFor = (days: number) => ({
  notBefore: new Date(Date.now() - (days > 0 ? 1 : 2 - days) * DAY_MS),
  notAfter: new Date(Date.now() + days * DAY_MS),
});

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function pemOf(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

function keyOf({ keyPem }: Identity): Promise<CryptoKey> {
  const der = x509.PemConverter.decodeFirst(keyPem);
  return crypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
}

/** An authority of its own: nothing else trusts it. */
export async function newAuthority(name: string): Promise<Identity> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...validFor(AUTHORITY_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { certificatePem: certificate.toString('pem'), keyPem: await pemOf(keys.privateKey) };
}

/** What a certificate is for: a name that servers have, or a client. */
export interface Subject {
  readonly name: string;
  /** Hosts that a server is reached by; none: a client. */
  readonly hosts?: readonly string[];
  /** Negative: it ended so many days ago. */
  readonly days: number;
}

export async function issue(authority: Identity, { name, hosts = [], days }: Subject): Promise<Identity> {
  const keys = await newKeys();
  const isServer = hosts.length > 0;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: new x509.X509Certificate(authority.certificatePem).subject,
    publicKey: keys.publicKey,
    signingKey: await keyOf(authority),
    signingAlgorithm: ALGORITHM,
    ...validFor(days),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([
        isServer ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      ...(isServer ? [new x509.SubjectAlternativeNameExtension(hosts.map(nameOf))] : []),
    ],
  });
  return { certificatePem: certificate.toString('pem'), keyPem: await pemOf(keys.privateKey) };
}

const nameOf = (host: string): x509.JsonGeneralName => ({ type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host });
