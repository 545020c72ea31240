import { type Connection, run, statement } from '../../../db/statement.ts';
import { briefly } from '../../../kernel/brief-cache.ts';
import type { Acquirer } from '../port.ts';
import type { Pool } from './books.ts';

export type BankCall = Exclude<
  keyof Acquirer,
  | 'name'
  | 'repeatableForMs'
  | 'absence'
  | 'cardEntry'
  | 'offersMandates'
  | 'receive'
  | 'rate'
  | 'findReceived'
  | 'findChargebacks'
  | 'findChargedBack'
>;

/** Every call of the port: the record does not compile without one. */
const callNames: Readonly<Record<BankCall, true>> = {
  createPix: true,
  findPix: true,
  expirePix: true,
  refundPix: true,
  placeMandate: true,
  createMandate: true,
  findMandate: true,
  cancelMandate: true,
  instruct: true,
  findDebit: true,
  cancelDebit: true,
  retryDebit: true,
  tokenizeCard: true,
  verifyCard: true,
  findCard: true,
  forgetCard: true,
  chargeCard: true,
  findCharge: true,
  refundCard: true,
  findRefund: true,
};
// The keys of an object literal are exactly its declared keys; Object.keys forgets that.
export const bankCalls = Object.keys(callNames) as BankCall[];

/** What holds for every call that has no setting of its own. */
export const ANY_CALL = '*';
export type CallPattern = BankCall | typeof ANY_CALL;

/**
 * `unreachable`: the call cannot be made; `request_lost`: it is made and never arrives; `answer_lost`: the bank does its
 * work and nobody hears of it; `fault`: it does its work and answers with an error.
 */
export type Trouble = 'unreachable' | 'request_lost' | 'answer_lost' | 'fault';

/** Makes the bank slow (by waiting) or troubled, whatever its settings; tests put it in. */
export interface Behaviour {
  before(call: BankCall): Promise<Trouble | undefined> | Trouble | undefined;
}

interface Setting {
  readonly max: number;
  /** The calls it bears on; none: the notices, which have no call. */
  readonly calls: readonly BankCall[];
}

/** What an operator sets for a call of an account: a duration, a count, or a share from 0 to 1 that it happens to. */
export const settings = {
  latency_ms: { max: 60_000, calls: bankCalls },
  request_lost: { max: 1, calls: bankCalls },
  answer_lost: { max: 1, calls: bankCalls },
  fault: { max: 1, calls: bankCalls },
  decline: { max: 1, calls: ['chargeCard', 'verifyCard'] },
  refuse: { max: 1, calls: ['refundPix', 'refundCard'] },
  not_found_seconds: { max: 3_600, calls: ['findCharge', 'findRefund'] },
  notice_delay_seconds: { max: 3_600, calls: [] },
  notice_repeats: { max: 5, calls: [] },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type CallSettings = Partial<Record<SettingName, number>>;
/** The settings of an account by call, without those that were never made. */
export type AccountBehaviour = Partial<Record<CallPattern, CallSettings>>;

// As above.
const settingNames = Object.keys(settings) as SettingName[];

type Row = { call: CallPattern } & Record<SettingName, number | null>;

const readRows = statement<Row>(
  'sandbox_read_behaviour',
  `SELECT call, ${settingNames.join(', ')} FROM sandbox_bank.behaviour WHERE account_id = :accountId ORDER BY call`,
);

export async function readBehaviour(pool: Connection, accountId: string): Promise<AccountBehaviour> {
  const rows = await run(pool, readRows, { accountId });
  return Object.fromEntries(
    rows.map(({ call, ...made }) => [call, Object.fromEntries(Object.entries(made).filter(([, of]) => of !== null))]),
  );
}

const upsertRow = statement(
  'sandbox_set_behaviour',
  `INSERT INTO sandbox_bank.behaviour AS b (account_id, call, ${settingNames.join(', ')})
   VALUES (:accountId, :call, ${settingNames.map((name) => `:${name}`).join(', ')})
   ON CONFLICT (account_id, call) DO UPDATE SET
     ${settingNames.map((name) => `${name} = coalesce(excluded.${name}, b.${name})`).join(', ')}`,
);

/** Makes the settings named; the others keep. */
export async function changeBehaviour(
  pool: Connection,
  { accountId, call, changes }: { accountId: string; call: CallPattern; changes: CallSettings },
): Promise<void> {
  for (const name of settingNames) if (changes[name] !== undefined) refuseUnlessBears(name, call);
  const made = Object.fromEntries(settingNames.map((name) => [name, changes[name] ?? null]));
  await run(pool, upsertRow, { accountId, call, ...made });
}

function refuseUnlessBears(name: SettingName, call: CallPattern): void {
  const { calls }: Setting = settings[name];
  if (call === ANY_CALL || calls.includes(call)) return;
  if (calls.length === 0) throw new Error(`${name} is of the notices of payments: set it without a call`);
  throw new Error(`${name} bears on ${calls.join(' and ')}, not on ${call}`);
}

const deleteRows = statement(
  'sandbox_reset_behaviour',
  `DELETE FROM sandbox_bank.behaviour WHERE account_id = :accountId`,
);

export async function resetBehaviour(pool: Connection, accountId: string): Promise<void> {
  await run(pool, deleteRows, { accountId });
}

/** What one call meets. */
export interface Conduct {
  readonly latencyMs: number;
  readonly trouble: Trouble | undefined;
  readonly declines: boolean;
  readonly refuses: boolean;
  readonly notFoundSeconds: number;
}

/** A change is felt within about this, in every process. */
const CACHE_MS = 1_000;
const CACHE_ACCOUNTS_MAX = 1_000;

/** Draws what a call meets from the settings of its account, which cost a look at the database once a second. */
export function createConduct(pool: Pool): (accountId: string, call: BankCall) => Promise<Conduct> {
  const load = briefly((accountId) => readBehaviour(pool, accountId), { ms: CACHE_MS, max: CACHE_ACCOUNTS_MAX });
  return async (accountId, call) => draw(await load(accountId), call);
}

function draw(behaviour: AccountBehaviour, call: BankCall): Conduct {
  const settingOf = (name: SettingName): number => behaviour[call]?.[name] ?? behaviour[ANY_CALL]?.[name] ?? 0;
  const strikes = (name: SettingName): boolean => Math.random() < settingOf(name);
  const troubles = ['request_lost', 'answer_lost', 'fault'] as const;
  return {
    latencyMs: settingOf('latency_ms'),
    // Each is drawn for itself; the first that strikes is met.
    trouble: troubles.find(strikes),
    declines: strikes('decline'),
    refuses: strikes('refuse'),
    notFoundSeconds: settingOf('not_found_seconds'),
  };
}
