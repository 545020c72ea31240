import type { Bank } from './bank.ts';
import type { Callbacks } from './callbacks.ts';
import type { Merchant } from './merchant.ts';
import { ENDING_CODES, isOpen } from './rec-books.ts';
import { hourOf } from './rec-days.ts';
import type { Cobr, EndedBy, Rec, Try } from './rec-entries.ts';

/** The payer's bank debits in the morning, and tells in the evening that it could not. */
const PAID_HOUR = 6;
const REFUSED_HOUR = 21;

/** What becomes of a debit: it is paid, or refused by a code. */
export type DebitOutcome = 'paid' | { readonly code: string };

/** What the payer's bank does with instructions and debits. */
export interface DebitHabits {
  /** Milliseconds until it answers an instruction; null: only when it is told to. */
  readonly answersAfterMs: number | null;
  /** Whether it schedules a debit. */
  readonly schedules: DebitOutcome;
  readonly debits: DebitOutcome;
}

const HABITS: DebitHabits = { answersAfterMs: 0, schedules: 'paid', debits: 'paid' };

interface RecBankParts {
  readonly bank: Bank;
  readonly callbacks: Callbacks;
  readonly clock: () => number;
}

/** What happens at the payer's bank: recurrences are approved and ended, debits scheduled, paid and refused. */
export class RecBank {
  private readonly parts: RecBankParts;
  private readonly habits = new Map<Merchant, DebitHabits>();
  private readonly wished = new Map<string, DebitOutcome>();

  constructor(parts: RecBankParts) {
    this.parts = parts;
  }

  setHabits(merchant: Merchant, habits: Partial<DebitHabits>): void {
    this.habits.set(merchant, { ...HABITS, ...habits });
  }

  /** The payer authorises by the composite code; where a first charge belongs to it, they pay that in the same act. */
  approve(merchant: Merchant, idRec: string): Rec {
    const { recs } = merchant.books;
    const rec = unanswered(recs.rec(idRec));
    if (rec.firstTxid !== null) this.parts.bank.pay(merchant, rec.firstTxid, {});
    rec.journey = rec.firstTxid === null ? 'JORNADA_2' : 'JORNADA_3';
    recs.move(rec, 'APROVADA');
    this.parts.callbacks.tellOfRec(merchant, rec);
    return rec;
  }

  reject(merchant: Merchant, idRec: string): void {
    const rec = unanswered(merchant.books.recs.rec(idRec));
    merchant.books.recs.move(rec, 'REJEITADA', { kind: 'rejeicao', code: 'AP13' });
    this.parts.callbacks.tellOfRec(merchant, rec);
  }

  expire(merchant: Merchant, idRec: string): void {
    const rec = merchant.books.recs.rec(idRec);
    merchant.books.recs.move(rec, 'EXPIRADA');
    this.parts.callbacks.tellOfRec(merchant, rec);
  }

  /** Ends a recurrence; debits of it whose day is not too near go with it. */
  cancel(merchant: Merchant, rec: Rec, by: EndedBy): void {
    const { recs } = merchant.books;
    const ending = { kind: 'cancelamento', code: by === 'PSP_PAGADOR' ? 'ACCL' : 'SLDB', by } as const;
    recs.move(rec, 'CANCELADA', ending);
    this.parts.callbacks.tellOfRec(merchant, rec);
    for (const cobr of recs.cobrs.values()) {
      const date = cobr.tries.at(-1)?.date ?? cobr.dueOn;
      const stands = cobr.status === 'CRIADA' || cobr.status === 'ATIVA';
      if (cobr.idRec !== rec.idRec || !stands || recs.isClosed(date)) continue;
      recs.cancel(cobr, { ...ending, code: 'SLCR' });
      this.parts.callbacks.tellOfCobr(merchant, cobr);
    }
  }

  /** What becomes of the next try of a charge, whatever the habits are. */
  decide(merchant: Merchant, txid: string, outcome: DebitOutcome): void {
    const cobr = merchant.books.recs.cobr(txid);
    this.wished.set(txid, outcome);
    this.tickOne(merchant, cobr);
  }

  /** Answers instructions, debits, refuses and ends what it is time for. */
  tick(merchant: Merchant): void {
    for (const cobr of merchant.books.recs.cobrs.values()) this.tickOne(merchant, cobr);
  }

  private tickOne(merchant: Merchant, cobr: Cobr): void {
    const { recs } = merchant.books;
    const { answersAfterMs, schedules } = this.habits.get(merchant) ?? HABITS;
    const open = cobr.tries.find(isOpen);
    const now = this.parts.clock();
    if (open?.status === 'SOLICITADA') {
      const askedAt = open.changes[0]?.at ?? now;
      if (answersAfterMs === null || now < askedAt + answersAfterMs) return;
      this.answer(merchant, cobr, { open, schedules });
    }
    if (open?.status === 'AGENDADA') this.debit(merchant, cobr, open);
    if (!recs.isOver(cobr)) return;
    recs.moveCobr(cobr, 'EXPIRADA');
    this.parts.callbacks.tellOfCobr(merchant, cobr);
  }

  /** The payer's bank schedules a debit, or does not. */
  answer(merchant: Merchant, cobr: Cobr, { open, schedules }: { open: Try; schedules: DebitOutcome }): void {
    const { recs } = merchant.books;
    if (schedules === 'paid') {
      recs.moveTry(open, 'AGENDADA');
      if (cobr.status === 'CRIADA') recs.moveCobr(cobr, 'ATIVA');
      this.parts.callbacks.tellOfCobr(merchant, cobr);
    } else this.refuse(merchant, cobr, { open, code: schedules.code });
  }

  private debit(merchant: Merchant, cobr: Cobr, open: Try): void {
    const habits = this.habits.get(merchant) ?? HABITS;
    const outcome = this.wished.get(cobr.txid) ?? habits.debits;
    const hour = outcome === 'paid' ? PAID_HOUR : REFUSED_HOUR;
    if (this.parts.clock() < hourOf(open.date, hour)) return;
    this.wished.delete(cobr.txid);
    if (outcome === 'paid') this.pay(merchant, cobr, open);
    else this.refuse(merchant, cobr, { open, code: outcome.code });
  }

  private pay(merchant: Merchant, cobr: Cobr, open: Try): void {
    const { books } = merchant;
    const { endToEndId } = open;
    books.receive({ txid: cobr.txid, amount: cobr.amount, key: merchant.pixKey, endToEndId });
    cobr.payments.push(endToEndId);
    books.recs.moveTry(open, 'PAGA');
    books.recs.moveCobr(cobr, 'CONCLUIDA');
    this.parts.callbacks.tellOfCobr(merchant, cobr);
  }

  private refuse(merchant: Merchant, cobr: Cobr, { open, code }: { open: Try; code: string }): void {
    const { recs } = merchant.books;
    recs.moveTry(open, 'REJEITADA', code);
    if (cobr.status === 'CRIADA') recs.moveCobr(cobr, 'ATIVA');
    if (ENDING_CODES.includes(code)) recs.moveCobr(cobr, 'REJEITADA', { kind: 'rejeicao', code });
    this.parts.callbacks.tellOfCobr(merchant, cobr);
  }
}

/** A payer answers a recurrence once. */
function unanswered(rec: Rec): Rec {
  if (rec.status !== 'CRIADA') throw new Error(`rec ${rec.idRec} is ${rec.status}`);
  return rec;
}
