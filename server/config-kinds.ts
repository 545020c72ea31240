import { inspect } from 'node:util';
import { z } from 'zod';
import { readIfReadable } from './config-formats.ts';

/** A value that no log, error or JSON shows by accident. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return '***';
  }
  toJSON(): string {
    return '***';
  }
  [inspect.custom](): string {
    return '***';
  }
}

/** A setting's text becomes its value; null from `read` means that it breaks the limit. */
export function setting<T>(limit: string, read: (text: string) => T | null) {
  return z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: limit });
    return z.NEVER;
  });
}

/** The same where the text itself says which limit it breaks; null from `limit` means none. */
export function judgedSetting<T>(limit: (text: string) => string | null, read: (text: string) => T) {
  return z.string().transform((text, context): T => {
    const broken = limit(text);
    if (broken === null) return read(text);
    context.addIssue({ code: 'custom', message: broken });
    return z.NEVER;
  });
}

export function wholeNumber({ min, max }: { min: number; max: number }) {
  return setting(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : null;
  });
}

export function secret(limit: string, isValid: (text: string) => boolean) {
  return setting(limit, (text) => (isValid(text) ? new Secret(text) : null));
}

/** PEM text, or the path of a file that holds it. */
export function pem(label: string) {
  return setting(`a PEM ${label}, or the path of a readable file with one`, (text) => {
    const content = text.startsWith('-----BEGIN ') ? text : readIfReadable(text);
    return content?.includes(`${label.toUpperCase()}-----`) ? content : null;
  });
}

export const plainText = (limit: string, pattern: RegExp) =>
  setting(limit, (text) => (pattern.test(text) ? text : null));

/** Settings that are of no use without another. */
export const COMPANIONS = [
  {
    of: 'DATABASE_URL',
    needed: 'ENCRYPTION_KEY',
    why: '32 bytes in base64, kept as long as that database (openssl rand -base64 32)',
  },
  { of: 'TEMPORAL_TLS_CERT', needed: 'TEMPORAL_TLS_KEY', why: 'a client certificate comes with its key' },
  { of: 'TEMPORAL_TLS_KEY', needed: 'TEMPORAL_TLS_CERT', why: 'a client key comes with its certificate' },
  { of: 'TEMPORAL_TLS_CERT', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server takes no certificate' },
  { of: 'TEMPORAL_TLS_CA', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server speaks no TLS' },
  { of: 'TEMPORAL_TLS_SERVER_NAME', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server speaks no TLS' },
  { of: 'TEMPORAL_API_KEY', needed: 'TEMPORAL_ADDRESS', why: 'the local Temporal server takes no key' },
  { of: 'TEMPORAL_CODEC_ORIGINS', needed: 'TEMPORAL_CODEC_PORT', why: 'nothing decodes without a port' },
  { of: 'TEMPORAL_CODEC_TOKEN', needed: 'TEMPORAL_CODEC_PORT', why: 'nothing decodes without a port' },
  { of: 'CLIENT_CERTIFICATE_HEADER', needed: 'TRUST_PROXY', why: 'only a proxy in front can tell of certificates' },
  { of: 'SMTP_URL', needed: 'MAIL_FROM', why: 'e-mails need a sender' },
  { of: 'OIDC_ISSUER', needed: 'OIDC_CLIENT_ID', why: 'the provider knows the service by it' },
  { of: 'OIDC_ISSUER', needed: 'OIDC_CLIENT_SECRET', why: 'the service proves itself to the provider with it' },
  { of: 'OIDC_CLIENT_ID', needed: 'OIDC_ISSUER', why: 'nobody else takes it' },
  { of: 'OIDC_CLIENT_SECRET', needed: 'OIDC_ISSUER', why: 'nobody else takes it' },
  { of: 'OIDC_ONLY', needed: 'OIDC_ISSUER', why: 'nobody could sign in' },
];
