import { inspect } from 'node:util';
import { z } from 'zod';
import { readIfReadable } from './config-formats.ts';
import { SHARD_COUNTS } from './kernel/shards.ts';

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

export const shardCount = setting(
  SHARD_COUNTS.join(', ').replace(/, (\d+)$/, ' or $1'),
  (text) => SHARD_COUNTS.find((count) => String(count) === text) ?? null,
);

export const plainText = (limit: string, pattern: RegExp) =>
  setting(limit, (text) => (pattern.test(text) ? text : null));

/** Settings whose values no message repeats. */
export const SHOWN_NEVER = new Set([
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_CODEC_TOKEN',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEYS',
  'VAULT_TOKEN',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
]);
