import { z } from 'zod';
import { chargesPerSecond } from '../../../server/payments/acquirer/charges-per-second.ts';
import type { CardAcquirer, Merchant } from '../../../server/payments/acquirer/port.ts';
import type { LiveAdapter, LiveMethod } from '../../../server/payments/live/method.ts';
import { SettingsInvalid } from '../../../server/payments/live/rules.ts';

const Settings = z.object({
  profile: z.literal('card-bank'),
  secretKey: z.string().min(8, 'must have at least 8 characters'),
  softDescriptor: z.string().nullable(),
  chargesPerSecond,
});

type Settings = z.output<typeof Settings>;

/** What a bank shows of the keys that it was called with. */
export interface OpenedCards {
  readonly secretKey: string;
  readonly former: readonly string[];
}

/** The calls of a bank for sandbox money, as one that moves live money answers them. */
function adapterOf(bank: CardAcquirer): LiveAdapter<'card'> {
  const at = (merchant: Merchant): Merchant => ({ ...merchant, liveMode: false });
  return {
    name: 'card-bank',
    repeatableForMs: bank.repeatableForMs,
    absence: bank.absence,
    cardEntry: bank.cardEntry,
    tokenizeCard: (merchant, request) => bank.tokenizeCard(at(merchant), request),
    verifyCard: (merchant, request) => bank.verifyCard(at(merchant), request),
    findCard: (merchant, request) => bank.findCard(at(merchant), request),
    forgetCard: (merchant, request) => bank.forgetCard(at(merchant), request),
    chargeCard: (merchant, request) => bank.chargeCard(at(merchant), request),
    findCharge: (merchant, reference) => bank.findCharge(at(merchant), reference),
    refundCard: (merchant, request) => bank.refundCard(at(merchant), request),
    findRefund: (merchant, request) => bank.findRefund(at(merchant), request),
    close: async () => {},
  };
}

/** Live cards at a bank of the tests, which no merchant has: without certificate and sweep, its callbacks signed in a header. */
export function cardMethodAt(bank: CardAcquirer): { method: LiveMethod<'card'>; opened: OpenedCards[] } {
  const opened: OpenedCards[] = [];
  const method: LiveMethod<'card', Settings> = {
    settings: Settings,
    options: [
      { name: 'secretKey', flags: '--secret-key-file <path>', description: 'a key', isRequired: true, isFile: true },
      { name: 'softDescriptor', flags: '--soft-descriptor <text>', description: 'what a statement of the card says' },
    ],
    settingsOf(given) {
      const { data, error } = Settings.safeParse({ profile: 'card-bank', softDescriptor: null, ...given });
      if (data === undefined)
        throw new SettingsInvalid(error.issues.map(({ path, message }) => ({ name: String(path[0]), message })));
      return data;
    },
    show: ({ profile, softDescriptor }) => ({ profile, soft_descriptor: softDescriptor }),
    certificateOf: () => null,
    open(_, { settings: { secretKey }, former }) {
      opened.push({ secretKey, former: former.map((before) => before.secretKey) });
      return adapterOf(bank);
    },
    isSameClient: (one, other) => one.secretKey === other.secretKey,
    wasUsed: async () => true,
    formerFor: 86_400,
    registersCallbacks: true,
    async *probe(_, { secretKey }, noticeUrl) {
      yield { step: 'key', ok: secretKey !== 'of another', detail: null };
      yield { step: 'webhook', ok: true, detail: noticeUrl };
    },
    sweep: null,
    receive: async (_, { settings: { secretKey } }, { headers, text }) =>
      headers['x-signature'] === `${text.length} ${secretKey}` ? 'taken' : 'unreadable',
  };
  return { method, opened };
}

/** An acquirer for merchants of which each has an adapter of its own. */
export const forEachMerchant = (
  bank: CardAcquirer,
  adapterOf: (accountId: string) => Promise<CardAcquirer | null>,
): CardAcquirer =>
  new Proxy(bank, {
    get(of, call) {
      const value: unknown = Reflect.get(of, call);
      if (typeof value !== 'function') return value;
      return async (merchant: Merchant, request: unknown): Promise<unknown> => {
        const adapter = await adapterOf(merchant.accountId);
        if (adapter === null) throw new Error(`${merchant.accountId} has no acquirer`);
        const asked: unknown = Reflect.get(adapter, call);
        return Reflect.apply(asked as typeof value, adapter, [merchant, request]); // both are the same half of the port
      };
    },
  });
