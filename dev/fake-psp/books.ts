import type { Chance } from '../fakes/random.ts';
import type { Callback, CallbackTopic, Cob, CobTerms, Payment, Return, ReturnNature, Webhook } from './entries.ts';
import { endToEndId, returnIdentification } from './ids.ts';
import { invalid, notFound, PspRefusal } from './problem.ts';
import { RecBooks } from './rec-books.ts';

const SECOND_MS = 1_000;

export interface BooksOptions {
  readonly ispb: string;
  readonly chance: Chance;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** The terms that hold now. */
export function termsOf(cob: Cob): CobTerms {
  const terms = cob.revisions.at(-1);
  if (terms === undefined) throw new Error(`cob ${cob.txid} has no revision`);
  return terms;
}

export const expiresAtOf = (cob: Cob): number => cob.createdAt + termsOf(cob).expiresIn * SECOND_MS;

/** What is back at the payer or on its way. */
export const returnedOf = (payment: Payment): number =>
  payment.returns.filter(({ status }) => status !== 'NAO_REALIZADO').reduce((sum, { amount }) => sum + amount, 0);

/** What one merchant has at the PSP. Nothing of it leads to another merchant's. */
export class Books {
  readonly cobs = new Map<string, Cob>();
  readonly payments = new Map<string, Payment>();
  readonly callbacks: Callback[] = [];
  readonly recs: RecBooks;
  /** Where callbacks of each kind go; null: nowhere. */
  readonly webhooks: Record<CallbackTopic, Webhook | null> = { pix: null, rec: null, cobr: null };
  readonly options: BooksOptions;
  private locations = 0;

  constructor(options: BooksOptions) {
    this.options = options;
    this.recs = new RecBooks(options);
  }

  cob(txid: string): Cob {
    const cob = this.cobs.get(txid);
    if (cob === undefined) throw notFound('CobNaoEncontrado', 'Cobrança não encontrada para o txid informado.');
    return cob;
  }

  payment(id: string): Payment {
    const payment = this.payments.get(id);
    if (payment === undefined) throw notFound('PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.');
    return payment;
  }

  returnOf(payment: Payment, id: string): Return {
    const found = payment.returns.find((each) => each.id === id);
    if (found !== undefined) return found;
    throw notFound('PixDevolucaoNaoEncontrada', 'Devolução não encontrada para o e2eid informado.');
  }

  open(txid: string, terms: CobTerms): Cob {
    const { chance, clock } = this.options;
    this.locations += 1;
    const location = { id: this.locations, url: `pix.example.com/qr/v2/${chance.hex(32)}` };
    const cob: Cob = { txid, createdAt: clock(), location, revisions: [terms], payments: [] };
    this.cobs.set(txid, cob);
    return cob;
  }

  revise(cob: Cob, changes: Partial<CobTerms>): void {
    const terms = termsOf(cob);
    if (terms.status !== 'ATIVA') throw invalid('CobOperacaoInvalida', 'cob.status', 'A cobrança não está ATIVA.');
    cob.revisions.push({ ...terms, ...changes });
  }

  /** Whether a payer's bank would still pay: an expired cob stays ATIVA. */
  isPayable(cob: Cob): boolean {
    return termsOf(cob).status === 'ATIVA' && this.options.clock() < expiresAtOf(cob);
  }

  pay(cob: Cob, amount: number): Payment {
    const terms = termsOf(cob);
    const payment = this.receive({ txid: cob.txid, amount, key: terms.key });
    cob.payments.push(payment);
    // A removed cob that was paid all the same stays removed: the status is that of its record.
    if (terms.status === 'ATIVA') cob.revisions.splice(-1, 1, { ...terms, status: 'CONCLUIDA' });
    return payment;
  }

  /** Money sent to a key. */
  receive(sent: Pick<Payment, 'txid' | 'amount' | 'key'> & Partial<Pick<Payment, 'endToEndId'>>): Payment {
    const { chance, clock } = this.options;
    const payment: Payment = { endToEndId: endToEndId(chance, clock()), ...sent, at: clock(), returns: [] };
    this.payments.set(payment.endToEndId, payment);
    return payment;
  }

  /** What the merchant asks for: under processing until it is settled. */
  requestReturn(payment: Payment, asked: Pick<Return, 'id' | 'amount' | 'description'>): Return {
    if (asked.amount === 0) throw invalid('PixDevolucaoInvalida', 'devolucao.valor', 'O valor da devolução é zero.');
    return this.addReturn(payment, { ...asked, nature: 'ORIGINAL' });
  }

  /** What the bank does by itself, under an id of its own. It is settled at once. */
  makeBankReturn(payment: Payment, made: { amount: number; nature: ReturnNature }): Return {
    const id = `${made.nature.replaceAll('_', '')}${this.options.chance.text(12)}`;
    const bankReturn = this.addReturn(payment, { ...made, id, description: null });
    this.settle(bankReturn, 'DEVOLVIDO');
    return bankReturn;
  }

  settle(pending: Return, status: 'DEVOLVIDO' | 'NAO_REALIZADO'): void {
    if (pending.status !== 'EM_PROCESSAMENTO') return;
    pending.status = status;
    pending.settledAt = this.options.clock();
  }

  private addReturn(payment: Payment, asked: Pick<Return, 'id' | 'amount' | 'nature' | 'description'>): Return {
    if (returnedOf(payment) + asked.amount > payment.amount) {
      const detail = 'A devolução, em conjunto com as prévias, excederia o valor do pix originário.';
      throw new PspRefusal({ status: 400, type: 'PixDevolucaoInvalida', detail });
    }
    const { chance, ispb, clock } = this.options;
    const returned: Return = {
      ...asked,
      returnIdentification: returnIdentification(chance, ispb, clock()),
      requestedAt: clock(),
      settledAt: null,
      status: 'EM_PROCESSAMENTO',
    };
    payment.returns.push(returned);
    return returned;
  }
}
