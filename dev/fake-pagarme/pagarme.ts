import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chanceOf, newSeed } from '../fakes/random.ts';
import { Troubles } from '../fakes/troubles.ts';
import { Merchant } from './books.ts';
import { chargeOf, settleCharge, settleRefund, takeBack } from './charges.ts';
import { Gateway } from './gateway.ts';
import { Hooks } from './hooks.ts';
import type { Desk } from './operations.ts';
import { type PagarmeTroubles, Trouble } from './troubles.ts';
import { viewCard } from './views.ts';

export type { Merchant as PagarmeMerchant } from './books.ts';
export { type Operation, operations, Trouble, type TroubleKind, troubleKinds } from './troubles.ts';

export interface PagarmeOptions {
  readonly port?: number;
  /** What the issuer of a number answers: an ABECS code. */
  readonly issuerCodes?: Readonly<Record<string, string>>;
  readonly seed?: number;
}

export interface FakePagarme {
  readonly origin: string;
  /** Where its API is, with its version. */
  readonly baseUrl: string;
  readonly jwksUrl: string;
  readonly troubles: Pick<PagarmeTroubles, 'set' | 'clear' | 'list'>;
  newMerchant(environment?: 'test' | 'live'): Merchant;
  /** Milliseconds. */
  advance(ms: number): void;
  settleCharge(merchant: Merchant, id: string, isApproved: boolean): void;
  settleRefund(merchant: Merchant, transactionId: string, isMade: boolean): void;
  chargeback(merchant: Merchant, id: string, amount?: number): void;
  /** A card gets another end, as an issuer tells its acquirers. */
  renewCard(merchant: Merchant, id: string, end: { expMonth: number; expYear: number }): void;
  expireCard(merchant: Merchant, id: string): void;
  rotateKey(): void;
  hooksSettled(): Promise<void>;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** Pagar.me's core API on this machine (docs/design/fake-pagarme.md). */
export async function startFakePagarme({
  port = 0,
  issuerCodes = {},
  seed = newSeed(),
}: PagarmeOptions = {}): Promise<FakePagarme> {
  const chance = chanceOf(seed);
  const troubles = new Troubles<Trouble>(chance, Trouble);
  const merchants: Merchant[] = [];
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const hooks = new Hooks(troubles, now);
  const desk: Desk = {
    now,
    issuerCodes,
    strikes: (kind, operation, { secretKey }) => troubles.strikes(kind, { merchant: secretKey, operation }),
    tell: (merchant, type, data) => hooks.tell(merchant, type, data),
  };
  const gateway = new Gateway({ desk, hooks, troubles, merchants });
  const server = createServer((request, response) => {
    gateway.handle(request, response).catch((error: unknown) => {
      process.stderr.write(`fake Pagar.me: ${error instanceof Error ? error.stack : error}\n`);
      response.destroy();
    });
  }).listen(port, LOOPBACK);
  await once(server, 'listening');
  const origin = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const cardOf = (merchant: Merchant, id: string) => {
    const card = merchant.cards.get(id);
    if (card === undefined) throw new Error(`there is no card ${id}`);
    return card;
  };
  return {
    origin,
    baseUrl: `${origin}/core/v5`,
    jwksUrl: `${origin}/.well-known/jwks.json`,
    troubles,
    newMerchant(environment = 'test') {
      const merchant = new Merchant(chance, environment);
      merchants.push(merchant);
      return merchant;
    },
    advance: (ms) => {
      aheadMs += ms;
    },
    settleCharge: (merchant, id, isApproved) => settleCharge(desk, merchant, id, isApproved),
    settleRefund: (merchant, id, isMade) => settleRefund(desk, merchant, id, isMade),
    chargeback: (merchant, id, amount) => takeBack(desk, merchant, chargeOf(merchant, id).id, amount),
    renewCard(merchant, id, { expMonth, expYear }) {
      const card = cardOf(merchant, id);
      Object.assign(card, { expMonth, expYear });
      hooks.tell(merchant, 'card.updated', viewCard(card));
    },
    expireCard(merchant, id) {
      const card = cardOf(merchant, id);
      card.status = 'expired';
      hooks.tell(merchant, 'card.expired', viewCard(card));
    },
    rotateKey: () => hooks.rotate(),
    hooksSettled: () => hooks.settled(),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([hooks.close(), closed]);
    },
  };
}
