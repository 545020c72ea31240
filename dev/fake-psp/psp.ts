import { chanceOf, newSeed } from '../fakes/random.ts';
import { Troubles } from '../fakes/troubles.ts';
import {
  Bank,
  type BankReturn,
  type PayOptions,
  type ReturnHabits,
  type SettledStatus,
  type WhichReturns,
} from './bank.ts';
import { Callbacks } from './callbacks.ts';
import { type Identity, issue, newAuthority } from './certificates.ts';
import { openDocument } from './document.ts';
import { Gateway } from './gateway.ts';
import type { MerchantCredentials } from './merchant.ts';
import type { Desk } from './operations.ts';
import { type PlainBooks, plainBooks } from './plain-books.ts';
import type { PspProfile } from './profile.ts';
import { type ProfileName, profiles } from './profiles.ts';
import { type DebitHabits, type DebitOutcome, RecBank } from './rec-bank.ts';
import type { EndedBy } from './rec-entries.ts';
import { RecViews } from './rec-views.ts';
import { type NewMerchant, Registry, type Requests } from './registry.ts';
import { Tokens } from './tokens.ts';
import { type PspTroubles, Trouble } from './troubles.ts';
import { Views } from './views.ts';
import { startWire } from './wire.ts';

export type { PayOptions, ReturnHabits, SettledStatus, WhichReturns } from './bank.ts';
export type { Callback, CobStatus, ReturnNature, ReturnStatus } from './entries.ts';
export type { MerchantCredentials } from './merchant.ts';
export type { PlainBooks, PlainCob, PlainPayment, PlainReturn } from './plain-books.ts';
export type { PspProfile } from './profile.ts';
export { type ProfileName, profileNames, profiles } from './profiles.ts';
export type { DebitHabits, DebitOutcome } from './rec-bank.ts';
export type { NewMerchant, Requests } from './registry.ts';
export { type Operation, operations, Trouble, type TroubleKind, troubleKinds } from './troubles.ts';

/** The certificates of a PSP: a restart with the same ones is the same PSP. */
export interface PspIdentity {
  readonly server: Identity;
  readonly clients: Identity;
  readonly callbacks: Identity;
}

export interface FakePspOptions {
  /** `standard` where none is named. */
  readonly profile?: ProfileName;
  /** 0 or absent: any free one. */
  readonly port?: number;
  /** `127.0.0.1` where none is named. */
  readonly host?: string;
  /** Unix milliseconds; that of the machine where none is given. Certificates are always held to the machine's. */
  readonly clock?: () => number;
  /** Of ids and of chance; drawn where none is given. */
  readonly seed?: number;
  readonly identity?: PspIdentity;
  /** An authority, as PEM, that signed the certificates of merchants' servers, beside the machine's own. */
  readonly trustedPem?: string;
  /** Milliseconds before each further try of a callback. */
  readonly callbackRetriesMs?: readonly number[];
}

/** Whom a call is about: what `newMerchant` answered. */
export type MerchantOf = Pick<MerchantCredentials, 'clientId'>;

/** A PSP that speaks the central bank's API Pix, with books in memory. Amounts are cents. */
export interface FakePsp {
  readonly profile: PspProfile;
  /** With the base path of the profile, without the version where resources have one of their own. */
  readonly baseUrl: string;
  readonly tokenUrl: string;
  /** The authority of the PSP's own certificate. */
  readonly caPem: string;
  /** The authority of the certificate that callbacks show. */
  readonly callbackCaPem: string;
  readonly troubles: Pick<PspTroubles, 'set' | 'clear' | 'list'>;
  newMerchant(options?: NewMerchant): Promise<MerchantCredentials>;
  /** Takes in a merchant that an earlier start made. */
  addMerchant(credentials: MerchantCredentials): void;
  /** Answers the end-to-end id. Throws where no honest bank would pay, unless the payer is `late`. */
  pay(merchant: MerchantOf, txid: string, options?: PayOptions): string;
  /** Money sent to the key, for no cob; answers the end-to-end id. */
  payKey(merchant: MerchantOf, amount: number): string;
  /** The bank returns money by itself; the whole payment where no amount is given. */
  bankReturn(merchant: MerchantOf, endToEndId: string, made: BankReturn): { id: string; returnIdentification: string };
  /** When devoluções that are asked for from now on are settled; at once where nothing was set. */
  setReturns(merchant: MerchantOf, habits: ReturnHabits): void;
  /** Settles what is under processing; answers how many were. */
  settleReturns(merchant: MerchantOf, status?: SettledStatus, which?: WhichReturns): number;
  /** The PSP removes a cob by itself. */
  removeCob(merchant: MerchantOf, txid: string): void;
  /** The payer authorises a recurrence, and pays the first charge that belongs to it. */
  approve(merchant: MerchantOf, idRec: string): void;
  /** The payer, or the payer's bank, does not want it. */
  rejectRec(merchant: MerchantOf, idRec: string): void;
  expireRec(merchant: MerchantOf, idRec: string): void;
  cancelRec(merchant: MerchantOf, idRec: string, by: EndedBy): void;
  /** How the payer's bank answers and debits from now on; at once and in full where nothing was set. */
  setDebits(merchant: MerchantOf, habits: Partial<DebitHabits>): void;
  /** What becomes of the next try of one charge. */
  decideDebit(merchant: MerchantOf, txid: string, outcome: DebitOutcome): void;
  /** The bank does what it is time for; it does so after each instruction by itself. */
  tick(merchant: MerchantOf): void;
  books(merchant: MerchantOf): PlainBooks;
  /** How often each operation was called, by one merchant or by all; troubles included. */
  requests(merchant?: MerchantOf): Requests;
  /** When no callback is in flight or planned. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const CERTIFICATE_DAYS = 365;
const CALLBACK_RETRIES_MS = [100, 500, 2_000];

export const newPspIdentity = async (): Promise<PspIdentity> => ({
  server: await newAuthority('Fake PSP servers'),
  clients: await newAuthority('Fake PSP merchants'),
  callbacks: await newAuthority('Fake PSP callbacks'),
});

/** Starts one; several may run in a process, and know nothing of each other. */
export async function startFakePsp(options: FakePspOptions = {}): Promise<FakePsp> {
  const { clock = Date.now, host = LOOPBACK } = options;
  const profile: PspProfile = profiles[options.profile ?? 'standard'];
  const identity = options.identity ?? (await newPspIdentity());
  const chance = chanceOf(options.seed ?? newSeed());
  const troubles = new Troubles<Trouble>(chance, Trouble);
  const views = new Views(profile);
  const recViews = new RecViews(views);
  const registry = new Registry({ profile, chance, clock, authority: identity.clients });
  const callbacks = new Callbacks({
    profile,
    views,
    recViews,
    troubles,
    chance,
    clock,
    certificate: await issue(identity.callbacks, { name: `callbacks.${profile.name}`, days: CERTIFICATE_DAYS }),
    trustedPem: options.trustedPem,
    retries: options.callbackRetriesMs ?? CALLBACK_RETRIES_MS,
  });
  const bank = new Bank({ callbacks, troubles });
  const recBank = new RecBank({ bank, callbacks, clock });
  const desk: Desk = {
    profile,
    views,
    recViews,
    chance,
    clock,
    cancelRec: (merchant, rec) => recBank.cancel(merchant, rec, 'USUARIO_RECEBEDOR'),
    instructed: (merchant) => recBank.tick(merchant),
    returnRequested: (merchant, endToEndId, id) => bank.returnRequested(merchant, endToEndId, id),
    isGuarded: (url) => callbacks.isGuarded(url),
  };
  const tokens = new Tokens(profile.token, { chance, clock });
  const gateway = new Gateway({ desk, document: await openDocument(), tokens, troubles, merchants: registry });
  const wire = await listen(gateway, { profile, identity, host, port: options.port ?? 0 });
  const origin = `https://${host}:${wire.port}`;
  return {
    profile,
    baseUrl: origin + profile.basePath,
    tokenUrl: origin + profile.token.path,
    caPem: identity.server.certificatePem,
    callbackCaPem: identity.callbacks.certificatePem,
    troubles,
    ...actsOf(registry, bank),
    ...recActsOf(registry, recBank),
    quiet: () => callbacks.quiet(),
    async close() {
      bank.close();
      await Promise.all([callbacks.close(), wire.close()]);
    },
  };
}

async function listen(
  gateway: Gateway,
  { profile, identity, host, port }: { profile: PspProfile; identity: PspIdentity; host: string; port: number },
) {
  const hosts = ['localhost', LOOPBACK, host];
  return startWire({
    gateway,
    ...(await issue(identity.server, { name: host, hosts, days: CERTIFICATE_DAYS })),
    clientCaPem: identity.clients.certificatePem,
    refusesInHandshake: profile.foreignCertificate === 'handshake',
    host,
    port,
  });
}

/** What concerns one merchant. */
function actsOf(registry: Registry, bank: Bank) {
  const of = ({ clientId }: MerchantOf) => registry.find(clientId);
  return {
    newMerchant: (wanted = {}) => registry.create(wanted),
    addMerchant: (credentials) => registry.add(credentials),
    pay: (merchant, txid, paid = {}) => bank.pay(of(merchant), txid, paid).endToEndId,
    payKey: (merchant, amount) => bank.receive(of(merchant), amount).endToEndId,
    bankReturn(merchant, endToEndId, made) {
      const { id, returnIdentification } = bank.makeReturn(of(merchant), endToEndId, made);
      return { id, returnIdentification };
    },
    setReturns: (merchant, habits) => bank.setReturns(of(merchant), habits),
    settleReturns: (merchant, status = 'DEVOLVIDO', which = {}) => bank.settle(of(merchant), status, which),
    removeCob(merchant, txid) {
      const { books } = of(merchant);
      books.revise(books.cob(txid), { status: 'REMOVIDA_PELO_PSP' });
    },
    books: (merchant) => plainBooks(of(merchant).books),
    requests: (merchant) => registry.requests(merchant?.clientId ?? null),
  } satisfies Partial<FakePsp>;
}

/** What concerns the recurrences of one merchant. */
function recActsOf(registry: Registry, bank: RecBank) {
  const of = ({ clientId }: MerchantOf) => registry.find(clientId);
  return {
    approve: (merchant, idRec) => void bank.approve(of(merchant), idRec),
    rejectRec: (merchant, idRec) => bank.reject(of(merchant), idRec),
    expireRec: (merchant, idRec) => bank.expire(of(merchant), idRec),
    cancelRec: (merchant, idRec, by) => bank.cancel(of(merchant), of(merchant).books.recs.rec(idRec), by),
    setDebits: (merchant, habits) => bank.setHabits(of(merchant), habits),
    decideDebit: (merchant, txid, outcome) => bank.decide(of(merchant), txid, outcome),
    tick: (merchant) => bank.tick(of(merchant)),
  } satisfies Partial<FakePsp>;
}
