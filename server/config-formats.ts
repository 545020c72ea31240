import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isReference } from './kernel/key-references.ts';
import { ENCRYPTION_KEY_BYTES, ringProblem } from './kernel/key-ring.ts';
import { namesLoopback } from './kernel/loopback.ts';
import { MODES, type Mode } from './kernel/mode.ts';
import type { MailAddress } from './mail/mailer.ts';

// What the texts of settings may look like: null, or false, for one that breaks its limit.

function isUrlOf(protocols: string[], text: string): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol);
}

export function namesDatabase(text: string): boolean {
  return isUrlOf(['postgres:', 'postgresql:'], text) && (URL.parse(text)?.pathname.length ?? 0) > 1;
}

export function readPublicUrl(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !isUrlOf(['http:', 'https:'], text)) return null;
  if (url.search || url.hash || url.username || url.password) return null;
  return url.href.replace(/\/+$/, '');
}

/** As the provider writes itself, since tokens name it so; over http on this machine alone. */
export function readIssuer(text: string): string | null {
  return readPublicUrl(text) !== null && (text.startsWith('https:') || namesLoopback(text)) ? text : null;
}

/** Each mode once, in the order of `MODES`. */
export function readModes(text: string): readonly Mode[] | null {
  const named = text.split(',').map((name) => name.trim());
  const modes = MODES.filter((mode) => named.includes(mode));
  return modes.length === named.length ? modes : null;
}

export function readNetworks(text: string): string[] | null {
  if (text === 'none') return [];
  const networks = text.split(/[\s,]+/).filter(Boolean);
  return networks.every((network) => ipaddr.isValidCIDR(network)) ? networks : null;
}

/** `9.9.9.9`, `9.9.9.9:53` or `[2620:fe::fe]:53`, as Node takes them. */
export function readNameServers(text: string): string[] | null {
  const servers = text.split(/[\s,]+/).filter(Boolean);
  try {
    new Resolver().setServers(servers);
    return servers.length > 0 ? servers : null;
  } catch {
    return null;
  }
}

export function readHost(text: string): string | null {
  return isIP(text) || /^[a-z0-9]([a-z0-9.-]{0,252})$/i.test(text) ? text : null;
}

export function namesMailServer(text: string): boolean {
  return isUrlOf(['smtp:', 'smtps:'], text) && URL.parse(text)?.hostname !== '';
}

/** What may stand on the two sides of the @, and the name before an address in angle brackets. */
const ADDRESS = /^[^\s\p{Cc}@<>"(),:;\\[\]]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,252}[\p{L}\p{N}])?$/u;
const NAMED_ADDRESS = /^"?([^\p{Cc}<>"]*?)"?\s*<([^<>]+)>$/u;

export function readSender(text: string): MailAddress | null {
  const [, name = '', bracketed] = NAMED_ADDRESS.exec(text) ?? [];
  const address = bracketed ?? text;
  return ADDRESS.test(address) ? { name: name === '' ? null : name, address } : null;
}

/** An e-mail address or a page, as the URI that security.txt asks for. */
export function readContact(text: string): string | null {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return url.username || url.password ? null : url.href;
  const contact = readSender(text.replace(/^mailto:/i, ''));
  return contact?.name === null ? `mailto:${encodeURI(contact.address)}` : null;
}

/** Origins of web pages, as browsers write them. */
export function readOrigins(text: string): string[] | null {
  const origins = text.split(/[\s,]+/).filter(Boolean);
  return origins.length > 0 && origins.every((origin) => URL.parse(origin)?.origin === origin) ? origins : null;
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\]):\d+$/;

/** Whether host:port is on this machine. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address);

export const SINGLE_KEY = `${ENCRYPTION_KEY_BYTES} bytes in base64 that are not all one byte (openssl rand -base64 32)`;

export const isSingleKey = (text: string): boolean =>
  !text.includes(',') && !isReference(text) && ringProblem(text) === null;

/** What a key ring breaks, and which of its keys does; null: nothing. */
export function ringLimit(text: string): string | null {
  const problem = ringProblem(text);
  return (
    problem && `different keys of ${ENCRYPTION_KEY_BYTES} bytes in base64 or of a KMS, separated by commas (${problem})`
  );
}

export function readIfReadable(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** A part of the whole, from 0 to 1. */
export const readShare = (text: string): number | null =>
  /^(?:0|1|[01]?\.\d{1,9})$/.test(text) && Number(text) <= 1 ? Number(text) : null;

/** The name of an operator: one line that anybody can read. */
export function operatorForm(text: string): string | null {
  const name = text.trim();
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u.test(name) ? name : null;
}
