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
