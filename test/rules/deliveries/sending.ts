import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished } from 'vitest';
import {
  createSender,
  type Lookup,
  type Sender,
  type SenderOptions,
  type SendResult,
  type SignedDelivery,
} from '../../../server/events/deliveries/http/sender.ts';
import { readTarget } from '../../../server/events/deliveries/http/target-url.ts';
import type { Receiver } from './receivers.ts';
import { trusted } from './tls-fixture.ts';

const loopbackNames: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];

/** Makes the certificate of `hooks.test` a trusted root of this process. */
export function trustHooksTest(): void {
  setDefaultCACertificates([...getCACertificates('default'), trusted.cert]);
}

/** A sender that may reach receivers on loopback, by any name, and has the real limits unless told otherwise; given name servers, it asks them. */
export function senderTo(options: Partial<SenderOptions> = {}): Sender {
  const names = options.nameServers === undefined ? { lookup: loopbackNames } : {};
  const sender = createSender({ allowedNetworks: ['127.0.0.0/8'], quotesAllowedNetworks: true, ...names, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

/** A sandbox delivery of a small event. */
export function delivery(url: string, overrides: Partial<SignedDelivery> = {}): SignedDelivery {
  return { url, headers: {}, body: '{"id":"evt_1"}', accountId: 'acct_1', liveMode: false, ...overrides };
}

/** Whether a URL may be registered, as the API judges it. */
export async function checkUrl(sender: Sender, url: string, liveMode: boolean): Promise<object> {
  const target = readTarget(url, { accountId: 'acct_1', liveMode });
  return 'problem' in target
    ? { ok: false, failure: 'invalid_url', detail: target.problem }
    : sender.checkTarget(target);
}

/** The result of an accepted delivery. */
export function delivered(status = 200): object {
  const answer = expect.toSatisfy((text) => text === null || text !== '');
  return { ok: true, status, durationMs: expect.any(Number), answer };
}

/** The result of a failed delivery, whole. */
export function failed(failure: string, overrides: object = {}): object {
  const result = { ok: false, failure, status: null, retryAfterSeconds: null };
  const words = { detail: expect.any(String), answer: expect.toSatisfy((answer) => answer === null || answer !== '') };
  return { ...result, durationMs: expect.any(Number), ...words, ...overrides };
}

/** A result and the real time that it took from before the work began: what it does at once, as its first handshake, takes time too. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - startedAt };
}

/** Waits until so many connections to the receiver are open. */
export async function opened(receiver: Receiver, count: number): Promise<void> {
  const open = () => receiver.connections.filter((connection) => !connection.destroyed).length;
  await expect.poll(open).toBe(count);
}

/** What came of a delivery in a word: the status that counts as accepted, or the failure kind and the status. */
export function outcomeOf(result: SendResult): string {
  if (result.ok) return String(result.status);
  return result.status === null ? result.failure : `${result.failure} ${result.status}`;
}
