import { type RouteId, routes } from '../../sdk/src/generated/routes.ts';
import { cents as asCents } from '../../server/kernel/money.ts';
import { brCode, compositeBrCode } from '../../server/payments/acquirer/br-code.ts';

/** One request of the story and its answer, as the reference shows them. */
export interface Exchange {
  /** The id in the path, where the operation has one, and that of a part of the object. */
  readonly id?: string;
  readonly part?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** What the reference shows of the story: exchanges of each operation by the name of the example, and an event of each type. */
export interface Recording {
  readonly operations: Partial<Record<string, Record<string, Exchange>>>;
  readonly events: Readonly<Record<string, unknown>>;
}

interface KnownRoute {
  readonly operation: RouteId;
  readonly method: string;
  readonly form: RegExp;
}

// Object.entries forgets that the keys are the ids of routes.
const knownRoutes: readonly KnownRoute[] = (
  Object.entries(routes) as [RouteId, { method: string; path: string }][]
).map(([operation, { method, path }]) => ({
  operation,
  method,
  form: new RegExp(`^${path.replace(/\{\w+\}/, '(?<id>[^/]+)').replace(/\{\w+\}/, '(?<part>[^/]+)')}$`),
}));

/** The operation that a request is of. */
export function operationOf(method: string, path: string): Pick<Exchange, 'id' | 'part'> & { operation: RouteId } {
  for (const known of knownRoutes) {
    const found = known.method === method ? known.form.exec(path) : null;
    if (found) return { operation: known.operation, ...found.groups };
  }
  throw new Error(`no operation is ${method} ${path}`);
}

/** Keeps the first exchange of each operation, and of each name that the story gives to one. */
export class Recorder {
  readonly #kept: Record<string, Record<string, Exchange>> = {};
  readonly #send: typeof globalThis.fetch;
  #name = 'default';

  constructor(send: typeof globalThis.fetch) {
    this.#send = send;
  }

  /** A `fetch` for the client of the story. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input));
    const response = await this.#send(input, init);
    if (response.ok) await this.#keep(url, { method: init?.method ?? 'GET', body: init?.body }, response.clone());
    return response;
  };

  /** What is asked meanwhile is an example of this name. */
  async naming<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#name = name;
    try {
      return await work();
    } finally {
      this.#name = 'default';
    }
  }

  get operations(): Recording['operations'] {
    return this.#kept;
  }

  async #keep(url: URL, request: { method: string; body: unknown }, response: Response): Promise<void> {
    const { operation, ...path } = operationOf(request.method, url.pathname);
    const examples = this.#kept[operation] ?? {};
    this.#kept[operation] = examples;
    const query = Object.fromEntries(url.searchParams);
    examples[this.#name] ??= {
      ...path,
      ...(url.searchParams.size > 0 && { query }),
      ...(typeof request.body === 'string' && { body: JSON.parse(request.body) }),
      status: response.status,
      answer: await response.json(),
    };
  }
}

const ID =
  /\b(acct|key|log|req|mail|cus|note|prod|price|cpn|promo|rdm|sub|si|chg|ii|in|pi|pk_sandbox|cs|plink|txn|mdt|evt|we|dp|exp)_[0-9a-z]{26}\b/g;
const SUFFIX = '01kaj4w2n8e9r7t5v3x1z0';
const FIRST = 'q6d4';
/** The alphabet of TypeIDs. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

const numberOf = (text: string): number => [...text].reduce((number, sign) => number * 32 + SIGNS.indexOf(sign), 0);
const textOf = (number: number): string =>
  number === 0 ? '' : textOf(Math.floor(number / 32)) + SIGNS.charAt(number % 32);

/** The same story twice has other ids: each becomes the next one of its kind, in the order in which they are told. */
function renamingIds(): (text: string) => string {
  const renamed = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (id: string, prefix: string): string => {
    const known = renamed.get(id);
    if (known !== undefined) return known;
    const count = counts.get(prefix) ?? 0;
    counts.set(prefix, count + 1);
    const name = `${prefix}_${SUFFIX}${textOf(numberOf(FIRST) + count)}`;
    renamed.set(id, name);
    return name;
  };
  return (text) => text.replace(ID, nameOf);
}

const SHOWN_PIX = {
  location: 'pix.example/v2/9d36b84fc70b478fb95c12729b90ca25',
  merchantName: 'Loja Exemplo',
  merchantCity: 'São Paulo',
};

const SHOWN_MANDATE = 'pix.example/v2/rec/7d9f0335d61c4b3a8f8d2b5f0c1e2a3b';

/** A BR Code of the amount that was asked, at a location that is the same each time. */
function shownPix(code: string): string {
  const [, reais = '', cents = ''] = /530398654\d\d(\d+)\.(\d\d)5802BR/.exec(code) ?? [];
  const amount = asCents(Number(reais + cents));
  const { location, ...merchant } = SHOWN_PIX;
  if (!code.includes('/rec/')) return brCode({ ...SHOWN_PIX, amount });
  const charge = amount === 0 ? null : { location, amount };
  return compositeBrCode({ charge, mandate: SHOWN_MANDATE, ...merchant });
}

/** Fields whose values are another each time, and what the reference shows of them. */
const shown: Readonly<Record<string, (value: string) => unknown>> = {
  qr_code: () =>
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4AWNgAAAAAgABc3UBGAAAAABJRU5ErkJggg==',
  image_url: () =>
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4AWNgAAAAAgABc3UBGAAAAABJRU5ErkJggg==',
  copy_paste: shownPix,
  pix_copy_paste: shownPix,
  secret: () => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  key: () => 'sk_sandbox_Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hGp0cL5aT8yR1iXw3Bz',
  hint: () => 'w3Bz',
  duration_ms: () => 38,
  txid: () => '01kaj4w2n8e9r7t5v3x1z0q6d4',
  // Of a row, by the clock of the machine.
  day: (value) => (Number.isInteger(value) ? value : '2026-11-21'),
  exported_at: () => '2026-11-21T09:40:00.000Z',
  // Behind the event stand others that happened to be committed in another order.
  cursor: (value) => value.split('.')[0],
};

/** The same of a code within a letter. */
const PIX_CODE = /00020101[^"\\]{1,400}?6304[0-9A-F]{4}/g;

/** Links are signed with a key of each database. */
const LINK_TOKEN = /\b((?:in|cs|sub|exp|plink|price|mail)_[0-9a-z]{26}\/)[\w-]{20,}/g;

/** A portal's opens with nothing else. */
const PORTAL_SECRET = /(\/portal\/sandbox_)[\w-]{43}/g;

/** Banks number payments anew each time. */
const END_TO_END = /\bE\d{20}[0-9a-z]{11}\b/g;

/** The same text whenever the story is told. */
export function settled(recording: Recording, replace: Readonly<Record<string, string>>): Recording {
  const text = JSON.stringify(recording, (key, value) => (value === null ? null : (shown[key]?.(value) ?? value)));
  const replaced = Object.entries(replace).reduce((so, [from, to]) => so.replaceAll(from, to), text);
  const named = renamingIds()(
    replaced
      .replace(PIX_CODE, shownPix)
      .replace(LINK_TOKEN, '$1Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hG')
      .replace(PORTAL_SECRET, '$1Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hGp0cL5aT8yR1')
      .replace(END_TO_END, 'E00000000202611241205kaj4w2n8e9r'),
  );
  return JSON.parse(named);
}
