import { createHash } from 'node:crypto';
import type { Chance } from '../fakes/random.ts';
import type { Verdict } from './issuer.ts';

/** Of a card nothing else is kept: no number, no code. */
export interface CardData {
  readonly first6: string;
  readonly last4: string;
  readonly brand: string;
  readonly holderName: string;
  expMonth: number;
  expYear: number;
  readonly verdict: Verdict;
}

export interface Token extends CardData {
  readonly id: string;
  readonly createdMs: number;
  isUsed: boolean;
}

export interface Customer {
  readonly id: string;
  readonly createdMs: number;
  body: Readonly<Record<string, unknown>> & { readonly code?: string | undefined; readonly document: string };
}

export interface Card extends CardData {
  readonly id: string;
  readonly billingAddress: object | null;
  readonly customer: string;
  readonly createdMs: number;
  status: 'active' | 'expired' | 'deleted';
}

export interface Transaction {
  readonly id: string;
  readonly createdMs: number;
  readonly operation: 'auth_and_capture' | 'cancel' | 'chargeback';
  readonly amount: number;
  readonly reference: string | null;
  status: string;
  code: string | null;
  message: string | null;
  isSuspected: boolean;
}

export interface Charge {
  readonly id: string;
  readonly code: string;
  readonly order: string;
  readonly customer: string;
  readonly card: string;
  readonly amount: number;
  readonly installments: number;
  readonly createdMs: number;
  readonly recurrence: { readonly cycle: string | null; readonly origin: string | null };
  status: 'pending' | 'processing' | 'paid' | 'failed' | 'canceled' | 'chargedback';
  /** When a charge that is at the acquirer ends by itself; null: when it is told to. */
  readonly ends: { readonly atMs: number; readonly isApproved: boolean } | null;
  paidMs: number | null;
  canceledAmount: number;
  canceledMs: number | null;
  readonly transactions: Transaction[];
}

export interface Order {
  readonly id: string;
  readonly code: string;
  readonly customer: string;
  readonly items: readonly object[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly charge: string;
}

export interface Hook {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly answers: (number | string)[];
}

interface Kept {
  readonly status: number;
  readonly body: object | null;
  readonly request: string;
  readonly atMs: number;
}

const ID_LENGTH = 16;

/** A merchant, and all that Pagar.me has of it. */
export class Merchant {
  readonly accountId: string;
  readonly secretKey: string;
  readonly publicKey: string;
  readonly domains = new Set(['localhost', '127.0.0.1']);
  hookUrl: string | null = null;
  readonly tokens = new Map<string, Token>();
  readonly customers = new Map<string, Customer>();
  readonly cards = new Map<string, Card>();
  readonly orders = new Map<string, Order>();
  readonly charges = new Map<string, Charge>();
  readonly hooks: Hook[] = [];
  /** Answers by idempotency key. */
  readonly kept = new Map<string, Kept>();
  /** When requests that change something were done, by a hash of each: a test compares, and nobody reads a card. */
  readonly requests: { readonly operation: string; readonly body: unknown }[] = [];
  readonly #chance: Chance;

  constructor(chance: Chance, environment: 'test' | 'live') {
    this.#chance = chance;
    const middle = environment === 'test' ? 'test_' : '';
    this.accountId = this.id('acc');
    this.secretKey = `sk_${middle}${chance.text(32)}`;
    this.publicKey = `pk_${middle}${chance.text(16)}`;
  }

  id(prefix: string): string {
    return `${prefix}_${this.#chance.text(ID_LENGTH)}`;
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
