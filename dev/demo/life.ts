import type { Fatura } from '@fatura/sdk';
import { closeBooks, takeCare } from './care.ts';
import { makeCatalogue } from './catalogue.ts';
import { createRandom } from './random.ts';
import { openReceiver, type ShopReceiver } from './receiver.ts';
import { openSession, sell, settleDebts } from './sales.ts';
import { DAY, HOUR, newShop, type Shop } from './shop.ts';
import { changeSubscriptions, payRenewals, subscribe } from './subscriptions.ts';

const DAYS_IN_MONTH = 365 / 12;
/** Brasília is so far behind UTC, all year round. */
const BEHIND_UTC = 3 * HOUR;
/** Of the last days several hours are lived through: they are looked at most. */
const BUSY_DAYS = 3;
const BUSY_HOURS = [9, 11, 14, 16, 18] as const;
const FIRST_DAYS = 12;
/** In days: the shop's receiver is out of order for so long, and begins to be so long before the end. */
const OUTAGE = 5;
const OUTAGE_BEFORE_END = 14;
/** So many days before the end somebody subscribes who pays once and no more: those are overdue and suspended then. */
const UNPAID_BEFORE_END: readonly number[] = [10, 16, 20];
/** A key makes five sessions a minute at most: one of each kind in the first month, then fewer. */
const SESSION_EVERY_DAYS = { first: 7, later: 15 } as const;
const SESSIONS_AT_FIRST = 4;

export interface Life {
  readonly fatura: Fatura;
  readonly months: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

interface Told {
  readonly invoices: Readonly<Record<string, number>>;
  readonly subscriptions: Readonly<Record<string, number>>;
  readonly refunds: number;
  readonly disputes: number;
  readonly sessions: Readonly<Record<string, number>>;
  readonly customers: number;
}

/** Lives through months of a shop in an empty sandbox, and tells what is there in the end. */
export async function liveThrough({ fatura, months, seed, print }: Life): Promise<Told> {
  const days = Math.max(1, Math.round(months * DAYS_IN_MONTH));
  const random = createRandom(seed);
  const shop = newShop({ fatura, random, catalogue: await makeCatalogue(fatura) });
  const receiver = await openReceiver(fatura);
  if (receiver === null) print('The service does not deliver to this machine: the shop has no webhook endpoint.');
  const { now } = await fatura.testClock.retrieve();
  const midnight = Math.ceil((now - BEHIND_UTC) / DAY) * DAY + BEHIND_UTC;
  try {
    for (let day = 0; day < days; day += 1) {
      tellOfOutage(receiver, { day, days });
      await liveDay(shop, { day, days, midnight: midnight + day * DAY });
      if ((day + 1) % 30 === 0 || day + 1 === days) print(`day ${day + 1} of ${days}: ${shop.orders} orders`);
    }
    await closeBooks(shop, (await fatura.testClock.retrieve()).now);
  } finally {
    await receiver?.close();
  }
  return tell(fatura);
}

function tellOfOutage(receiver: ShopReceiver | null, { day, days }: { day: number; days: number }): void {
  const begins = days - OUTAGE_BEFORE_END;
  if (day === begins) receiver?.answer(500);
  if (day === begins + OUTAGE) receiver?.answer(200);
}

async function liveDay(
  shop: Shop,
  { day, days, midnight }: { day: number; days: number; midnight: number },
): Promise<void> {
  const { fatura, random } = shop;
  const hours = days - day <= BUSY_DAYS ? BUSY_HOURS : [random.between(8, 20)];
  for (const hour of hours) {
    const now = midnight + hour * HOUR + random.between(0, HOUR - 1);
    await fatura.testClock.advance({ to: now });
    await settleDebts(shop, day);
    await payRenewals(shop, now);
    for (let sales = random.between(1, hours.length > 1 ? 2 : 4); sales > 0; sales -= 1) await sell(shop, day, now);
  }
  for (let more = day < FIRST_DAYS ? 2 : Number(random.chance(0.35)); more > 0; more -= 1) await subscribe(shop);
  if (UNPAID_BEFORE_END.includes(days - day)) await subscribe(shop, 'forgetful');
  const nthSession = sessionOf(day);
  if (nthSession !== null) await openSession(shop, nthSession);
  await changeSubscriptions(shop);
  await takeCare(shop, day);
}

/** Which session is opened on a day; null: none is. */
function sessionOf(day: number): number | null {
  const { first, later } = SESSION_EVERY_DAYS;
  const isFirst = day < SESSIONS_AT_FIRST * first;
  if (day % (isFirst ? first : later) !== 1) return null;
  return isFirst ? Math.floor(day / first) : SESSIONS_AT_FIRST + Math.floor(day / later);
}

const ALL = { max: 20_000 };

const counted = <T>(of: readonly T[], by: (one: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(of, by)].map(([name, group]) => [name, group.length]));

/** What is there, by its status. */
async function tell({
  invoices,
  subscriptions,
  refunds,
  disputes,
  checkoutSessions,
  customers,
}: Fatura): Promise<Told> {
  const limit = 100;
  return {
    customers: (await customers.list({ limit }).all(ALL)).length,
    invoices: counted(await invoices.list({ limit }).all(ALL), ({ status }) => status),
    subscriptions: counted(await subscriptions.list({ limit }).all(ALL), ({ status }) => status),
    refunds: (await refunds.list({ limit }).all(ALL)).length,
    disputes: (await disputes.list({ limit }).all(ALL)).length,
    sessions: counted(await checkoutSessions.list({ limit }).all(ALL), ({ status }) => status),
  };
}
