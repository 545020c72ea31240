import type { Chance } from '../fakes/random.ts';
import { endToEndId } from './ids.ts';
import { invalid, notFound } from './problem.ts';
import { cycleOf, dayOf, daysBetween, hourOf } from './rec-days.ts';
import type { Change, Cobr, CobrStatus, Ending, Rec, RecLocation, RecStatus, Try, TryStatus } from './rec-entries.ts';

/** A debit is instructed so many days before its day. */
const EARLIEST_DAYS = 10;
const LATEST_DAYS = 2;
/** Until this hour of the day before, a debit can be taken back, and a further try asked for. */
const CLOSES_HOUR = 22;
const RETRIES_MAX = 3;
const RETRY_DAYS = 7;

/** These codes end the whole charge, and not a try alone. */
export const ENDING_CODES: readonly string[] = ['AC05', 'AM09', 'DENC', 'DS27', 'DTED', 'MIDI', 'MSUC', 'NITX', 'RC09'];

export const noRec = () => notFound('RecNaoEncontrada', 'Recorrência não encontrada para o idRec informado.');
export const noCobr = () => notFound('CobRNaoEncontrado', 'Cobrança não encontrada para o txid informado.');

const refusedRec = (field: string, reason: string) => invalid('RecOperacaoInvalida', `rec.${field}`, reason);
const refusedCobr = (field: string, reason: string) => invalid('CobROperacaoInvalida', field, reason);

export interface RecBooksOptions {
  readonly ispb: string;
  readonly chance: Chance;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export type NewRec = Pick<
  Rec,
  | 'contract'
  | 'object'
  | 'debtor'
  | 'startsOn'
  | 'endsOn'
  | 'period'
  | 'fixed'
  | 'minimum'
  | 'allowsRetries'
  | 'firstTxid'
> & { readonly idRec: string | null; readonly locationId: number | null };

export type NewCobr = Pick<Cobr, 'txid' | 'idRec' | 'dueOn' | 'amount' | 'shown'>;

/** What one merchant has of Pix Automático at the PSP. */
export class RecBooks {
  readonly locations = new Map<number, RecLocation>();
  readonly recs = new Map<string, Rec>();
  readonly cobrs = new Map<string, Cobr>();
  private readonly options: RecBooksOptions;

  constructor(options: RecBooksOptions) {
    this.options = options;
  }

  rec(idRec: string): Rec {
    const rec = this.recs.get(idRec);
    if (rec === undefined) throw noRec();
    return rec;
  }

  cobr(txid: string): Cobr {
    const cobr = this.cobrs.get(txid);
    if (cobr === undefined) throw noCobr();
    return cobr;
  }

  location(id: number): RecLocation {
    const location = this.locations.get(id);
    if (location !== undefined) return location;
    throw notFound('PayloadLocationRecNaoEncontrado', 'Location não encontrada para o id informado.');
  }

  openLocation(): RecLocation {
    const { chance, clock } = this.options;
    const id = this.locations.size + 1;
    const url = `pix.example.com/qr/v2/rec/${chance.hex(32)}`;
    const location: RecLocation = { id, url, createdAt: clock(), idRec: null };
    this.locations.set(id, location);
    return location;
  }

  create({ idRec: wanted, locationId, ...terms }: NewRec): Rec {
    const now = this.options.clock();
    if (terms.startsOn < dayOf(now)) {
      throw refusedRec('calendario.dataInicial', 'É anterior à data de criação da recorrência.');
    }
    const location = locationId === null ? null : (this.locations.get(locationId) ?? null);
    if (locationId !== null && location === null) throw refusedRec('loc', 'O location referenciado inexiste.');
    if (location !== null && location.idRec !== null) {
      throw refusedRec('loc', 'O location referenciado já está sendo utilizado por outra recorrência.');
    }
    const idRec = wanted ?? this.newId(terms.allowsRetries);
    if (this.recs.has(idRec)) throw refusedRec('idRec', 'O campo rec.idRec encontra-se em uso.');
    const rec: Rec = {
      ...{ ...terms, idRec, location, createdAt: now, journey: 'AGUARDANDO_DEFINICAO' },
      ...{ status: 'CRIADA', ending: null, changes: [{ status: 'CRIADA', at: now }] },
    };
    if (location !== null) location.idRec = idRec;
    this.recs.set(idRec, rec);
    return rec;
  }

  private newId(allowsRetries: boolean): string {
    const { chance, clock, ispb } = this.options;
    return `R${allowsRetries ? 'R' : 'N'}${ispb}${dayOf(clock()).replaceAll('-', '')}${chance.text(11)}`;
  }

  /** Has a recurrence stand otherwise; one that is over changes no more. */
  move(rec: Rec, status: RecStatus, ending: Ending | null = null): void {
    if (rec.status !== 'CRIADA' && rec.status !== 'APROVADA') {
      throw refusedRec('status', 'A recorrência encontra-se expirada, cancelada ou rejeitada.');
    }
    rec.status = status;
    rec.ending = ending;
    this.note(rec.changes, status);
  }

  instruct(asked: NewCobr): Cobr {
    const { clock } = this.options;
    const rec = this.recs.get(asked.idRec);
    if (rec?.status !== 'APROVADA') throw refusedCobr('cobr.idRec', 'A recorrência não está APROVADA.');
    const ahead = daysBetween(dayOf(clock()), asked.dueOn);
    if (ahead < LATEST_DAYS || ahead > EARLIEST_DAYS || asked.dueOn < rec.startsOn) {
      throw refusedCobr('cobr.calendario.dataDeVencimento', 'A cobrança é enviada de 10 a 2 dias antes do vencimento.');
    }
    if (rec.fixed !== null && rec.fixed !== asked.amount) {
      throw refusedCobr('cobr.valor', 'O valor difere do valor fixo da recorrência.');
    }
    if (this.cobrs.has(asked.txid)) throw refusedCobr('cobr.txid', 'O campo cobr.txid encontra-se em uso.');
    if (this.isCycleTaken(rec, asked.dueOn)) {
      throw refusedCobr('cobr.idRec', 'Existe uma CobR com status diferente de REJEITADA e CANCELADA no mesmo ciclo.');
    }
    const now = clock();
    const cobr: Cobr = {
      ...{ ...asked, createdAt: now, status: 'CRIADA', ending: null, changes: [{ status: 'CRIADA', at: now }] },
      ...{ tries: [this.newTry(asked.dueOn, 'AGND')], payments: [] },
    };
    this.cobrs.set(cobr.txid, cobr);
    return cobr;
  }

  private isCycleTaken(rec: Rec, day: string): boolean {
    return [...this.cobrs.values()].some(
      ({ idRec, status, dueOn }) =>
        idRec === rec.idRec &&
        !['REJEITADA', 'CANCELADA'].includes(status) &&
        cycleOf(rec, dueOn) === cycleOf(rec, day),
    );
  }

  private newTry(date: string, kind: Try['kind']): Try {
    const { chance, clock } = this.options;
    const first = { status: 'SOLICITADA', at: clock() } as const;
    return { date, kind, endToEndId: endToEndId(chance, clock()), status: 'SOLICITADA', code: null, changes: [first] };
  }

  /** Whether the day of a debit is so near that nothing of it changes. */
  isClosed(date: string): boolean {
    return this.options.clock() >= hourOf(date, CLOSES_HOUR) - 24 * 3_600_000;
  }

  /** The merchant takes a debit back, before its first day. */
  takeBack(cobr: Cobr): void {
    if (cobr.status !== 'CRIADA' && cobr.status !== 'ATIVA') {
      throw refusedCobr('cobr.status', `A cobrança encontra-se ${cobr.status}.`);
    }
    if (this.isClosed(cobr.dueOn)) {
      const reason = 'Não é possível cancelar na data prevista da primeira tentativa de liquidação, ou depois dela.';
      throw refusedCobr('cobr.status', reason);
    }
    this.cancel(cobr, { kind: 'cancelamento', code: 'SLCR', by: 'USUARIO_RECEBEDOR' });
  }

  cancel(cobr: Cobr, ending: Ending): void {
    for (const each of cobr.tries) if (isOpen(each)) this.moveTry(each, 'CANCELADA');
    this.moveCobr(cobr, 'CANCELADA', ending);
  }

  retry(cobr: Cobr, date: string): Try {
    const rec = this.rec(cobr.idRec);
    if (!rec.allowsRetries) throw refusedCobr('data', 'A política configurada na recorrência não permite retentativa.');
    if (cobr.status !== 'ATIVA') throw refusedCobr('cobr.status', `A cobrança encontra-se ${cobr.status}.`);
    if (cobr.tries.some(isOpen)) throw refusedCobr('data', 'Existe uma tentativa com status SOLICITADA ou AGENDADA.');
    if (cobr.tries.some((each) => each.date === date)) throw refusedCobr('data', 'Existe uma tentativa para a data.');
    if (this.isClosed(date)) throw refusedCobr('data', 'O parâmetro data não corresponde a uma data futura.');
    const isBeyond = daysBetween(cobr.dueOn, date) > RETRY_DAYS || cobr.tries.length > RETRIES_MAX;
    if (isBeyond) throw refusedCobr('data', 'São permitidas três retentativas em sete dias.');
    const again = this.newTry(date, 'NTAG');
    cobr.tries.push(again);
    return again;
  }

  moveTry(each: Try, status: TryStatus, code: string | null = null): void {
    each.status = status;
    each.code = code;
    this.note(each.changes, status);
  }

  moveCobr(cobr: Cobr, status: CobrStatus, ending: Ending | null = null): void {
    cobr.status = status;
    cobr.ending = ending;
    this.note(cobr.changes, status);
  }

  /** Whether nothing more can become of a charge that is not over. */
  isOver({ status, tries, dueOn, idRec }: Cobr): boolean {
    if (status !== 'ATIVA' || tries.some(isOpen)) return false;
    const last = this.rec(idRec).allowsRetries ? RETRY_DAYS : 0;
    return tries.length > RETRIES_MAX || daysBetween(dueOn, dayOf(this.options.clock())) > last;
  }

  private note<Status>(changes: Change<Status>[], status: Status): void {
    changes.push({ status, at: this.options.clock() });
  }
}

export const isOpen = ({ status }: Try): boolean => status === 'SOLICITADA' || status === 'AGENDADA';
