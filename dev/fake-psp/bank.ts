import { termsOf } from './books.ts';
import type { Callbacks } from './callbacks.ts';
import type { Cob, Payment, Return, ReturnNature } from './entries.ts';
import type { Merchant } from './merchant.ts';
import type { PspTroubles } from './troubles.ts';

export type SettledStatus = 'DEVOLVIDO' | 'NAO_REALIZADO';

/** When a devolução is settled and how. */
export interface ReturnHabits {
  /** Milliseconds after it was asked for; null: only when it is told to. */
  readonly afterMs: number | null;
  readonly status: SettledStatus;
}

/** Which devoluções are meant: those with every field that is given. */
export interface WhichReturns {
  readonly endToEndId?: string;
  readonly id?: string;
}

export interface PayOptions {
  /** Cents; the cob's where none is given. */
  readonly amount?: number | undefined;
  /** Pays a cob that no honest bank would pay now: expired, removed or paid before. */
  readonly late?: boolean | undefined;
  /** Whether the merchant is called. */
  readonly notify?: boolean | undefined;
}

/** What the bank returns by itself; the whole payment where no amount is given. */
export interface BankReturn extends Pick<PayOptions, 'amount' | 'notify'> {
  readonly nature: Exclude<ReturnNature, 'ORIGINAL'>;
}

/** What happens at the bank without a call of the merchant: money comes, goes back, and the merchant is told. */
export class Bank {
  private readonly callbacks: Callbacks;
  private readonly troubles: PspTroubles;
  private readonly habits = new Map<Merchant, ReturnHabits>();
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(parts: { callbacks: Callbacks; troubles: PspTroubles }) {
    this.callbacks = parts.callbacks;
    this.troubles = parts.troubles;
  }

  pay(merchant: Merchant, txid: string, { amount, late = false, notify = true }: PayOptions): Payment {
    const { books } = merchant;
    const cob: Cob = books.cob(txid);
    if (!late && !books.isPayable(cob)) {
      throw new Error(`cob ${txid} is ${termsOf(cob).status} or expired: only a late payer pays it`);
    }
    const payment = books.pay(cob, amount ?? termsOf(cob).amount);
    if (notify) this.callbacks.tell(merchant, [payment]);
    return payment;
  }

  /** Money sent to the key, for no cob: nobody is told of it. */
  receive(merchant: Merchant, amount: number): Payment {
    return merchant.books.receive({ txid: null, amount, key: merchant.pixKey });
  }

  makeReturn(merchant: Merchant, id: string, made: BankReturn): Return {
    const payment = merchant.books.payment(id);
    const { amount = payment.amount, nature, notify = true } = made;
    const returned = merchant.books.makeBankReturn(payment, { amount, nature });
    if (notify) this.callbacks.tell(merchant, [payment]);
    return returned;
  }

  setReturns(merchant: Merchant, habits: ReturnHabits): void {
    this.habits.set(merchant, habits);
  }

  returnRequested(merchant: Merchant, endToEndId: string, id: string): void {
    const { afterMs, status } = this.habits.get(merchant) ?? { afterMs: 0, status: 'DEVOLVIDO' };
    const struck = { merchant: merchant.clientId, operation: 'putReturn' as const };
    if (afterMs === null || this.troubles.strikes('return_stays', struck)) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.settle(merchant, status, { endToEndId, id });
    }, afterMs);
    this.timers.add(timer.unref());
  }

  /** Settles what is under processing; answers how many were. */
  settle(merchant: Merchant, status: SettledStatus, which: WhichReturns = {}): number {
    let settled = 0;
    for (const payment of merchant.books.payments.values()) {
      if (which.endToEndId !== undefined && which.endToEndId !== payment.endToEndId) continue;
      for (const pending of payment.returns) {
        if (pending.status !== 'EM_PROCESSAMENTO' || (which.id ?? pending.id) !== pending.id) continue;
        const struck = { merchant: merchant.clientId, operation: 'putReturn' as const };
        merchant.books.settle(pending, this.troubles.strikes('return_fails', struck) ? 'NAO_REALIZADO' : status);
        settled += 1;
        this.callbacks.tell(merchant, [payment]);
      }
    }
    return settled;
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
