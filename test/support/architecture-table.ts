/** How far into a zone an import may reach: all of it, its own domain's part, or its own and every lower domain's. */
type Extent = 'all' | 'own' | 'down';

export interface Reach {
  readonly values?: Extent;
  readonly types?: Extent;
}

export type ZoneName =
  | 'contract'
  | 'kernel'
  | 'rules'
  | 'entity'
  | 'view'
  | 'service'
  | 'routes'
  | 'web'
  | 'page'
  | 'accounts'
  | 'staff'
  | 'admission'
  | 'db'
  | 'sealing'
  | 'audit-log'
  | 'unit-of-work'
  | 'jobs'
  | 'migration'
  | 'http'
  | 'port'
  | 'adapter'
  | 'outbox'
  | 'waiting'
  | 'entities'
  | 'reactions'
  | 'deps'
  | 'root'
  | 'ops'
  | 'embedded'
  | 'start'
  | 'served'
  | 'site'
  | 'browser'
  | 'dashboard'
  | 'workflow'
  | 'worker'
  | 'sdk'
  | 'cli'
  | 'mcp';

type Packages = (specifier: string, from: string) => boolean;

/** Where a file stands among the domains, and within its own. */
export interface Domain {
  readonly name: string;
  readonly rank: number;
  readonly room: { readonly name: string; readonly rank: number };
}

export interface Zone {
  readonly name: ZoneName;
  readonly domain: Domain | null;
  readonly packages: Packages;
  /** Where types of more packages are welcome than their code. */
  readonly packageTypes?: Packages;
}

/** Domains import downwards only: {test-clock, search} → {checkout, exports, portal, reports} → subscriptions → {payments, mail} → {invoices, profile} → {coupons, invoice-items} → {catalog, customers} → events. */
const ranks: Readonly<Record<string, number>> = {
  'test-clock': 7,
  search: 7,
  checkout: 6,
  exports: 6,
  portal: 6,
  reports: 6,
  subscriptions: 5,
  payments: 4,
  mail: 4,
  invoices: 3,
  profile: 3,
  coupons: 2,
  'invoice-items': 2,
  catalog: 1,
  customers: 1,
  events: 0,
};

/**
 * The rooms of a domain, each of which imports only itself and those before it: folders, and files that all rooms read; `''`
 * is the rest of the domain's own folder. A folder that is not listed belongs to the room in which it stands.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  events: ['deliveries/http', 'deliveries', ''],
  subscriptions: [
    'rules',
    'proration',
    'days',
    'discounts',
    'decide',
    'entity',
    'agree',
    'penalty',
    'recurrence',
    'view',
    'rows',
    'renewed-by',
    'mandates',
    'taking',
    'changes',
    'terms',
    'ending',
    'coupon',
    'cancel',
    'collection',
    'activation',
    'billing',
    'first-bill',
    'trial',
    'start',
    'billing/due',
    '',
  ],
  payments: [
    'rules',
    'entity',
    'disputes/entity',
    'view',
    'acquirer',
    'intents',
    'refunds',
    'disputes',
    'pix',
    'card',
    'live',
    '',
  ],
};

function roomOf(domain: string, path: string): Domain['room'] {
  const within = (rooms[domain] ?? ['']).map((name, rank) => ({ name, rank }));
  const around = within.filter(({ name }) => {
    const place = `server/${domain}/${name}`;
    return name === '' || path === `${place}.ts` || path.startsWith(`${place}/`);
  });
  return around.reduce((one, other) => (other.name.length > one.name.length ? other : one));
}

const domainOf = (path: string): Domain | null => {
  const name = /^server\/([^/]+)\//.exec(path)?.[1] ?? '';
  const rank = ranks[name];
  return rank === undefined ? null : { name, rank, room: roomOf(name, path) };
};

const DOMAIN = `server/(?:${Object.keys(ranks).join('|')})`;

/** Rules in files of their own. */
const RULES_APART =
  '^server/(?:customers/(?:tax-id|phone|name|words)|payments/card/number|invoices/late-fees|subscriptions/(?:decide|days|discounts|penalty|proration)|profile/color|events/deliveries/http/target-url)\\.ts$';

const none: Packages = () => false;
const only =
  (...names: RegExp[]): Packages =>
  (specifier) =>
    names.some((name) => name.test(specifier));
const ORM = /^@mikro-orm\//;
const ORM_DEFINITIONS = /^@mikro-orm\/core$/;
const TEMPORAL = /^@temporalio\//;
/** Packages that bind code to one way in or out; elsewhere a domain takes what it needs. */
const FRAMEWORKS = [
  /^express$/,
  /^@ts-rest\/express$/,
  /^helmet$/,
  TEMPORAL,
  /^@mikro-orm\/(?!core$)/,
  /^kysely$/,
  /^commander$/,
  /^pg$/,
];
const noFramework: Packages = (specifier) => !FRAMEWORKS.some((name) => name.test(specifier));
const allButTemporal: Packages = (specifier) => !TEMPORAL.test(specifier);

/** The first pattern that fits a path names its zone. */
const zones: readonly [files: RegExp, name: ZoneName, packages: Packages, packageTypes?: Packages][] = [
  [/^contract\//, 'contract', only(/^zod$/, /^@ts-rest\/core$/)],
  [/^server\/kernel\//, 'kernel', none],
  [/^server\/db\/migrations\//, 'migration', only(/^@mikro-orm\/migrations$/, /^node:(fs|path)$/)],
  [/^server\/db\//, 'db', only(ORM, /^kysely$/, /^pg$/, /^node:async_hooks$/)],
  [/^server\/sealing\/kms\//, 'sealing', only(/^@aws-sdk\/client-kms$/, /^node:timers\/promises$/)],
  [/^server\/sealing\//, 'sealing', only(/^pg$/, /^node:crypto$/)],
  [/^server\/audit-log\//, 'audit-log', only(/^pg$/)],
  [/^server\/unit-of-work\//, 'unit-of-work', only(ORM, /^lru-cache$/, /^pg$/, /^node:util$/)],
  [/^server\/jobs\//, 'jobs', only(/^pg$/)],
  [
    /^server\/accounts\//,
    'accounts',
    only(ORM_DEFINITIONS, /^node:(?:crypto|zlib)$/, /^@sindresorhus\/base62$/, /^ipaddr\.js$/, /^lru-cache$/),
    only(ORM, /^pg$/),
  ],
  [
    /^server\/staff\//,
    'staff',
    only(
      ORM_DEFINITIONS,
      /^node:(?:crypto|util)$/,
      /^@simplewebauthn\/server$/,
      /^openid-client$/,
      /^otpauth$/,
      /^zod$/,
    ),
    only(/^pg$/, /^@simplewebauthn\/server$/),
  ],
  [/^server\/admission\//, 'admission', only(/^lru-cache$/, /^node:(?:async_hooks|perf_hooks)$/), only(/^pg$/)],
  [/^server\/http\//, 'http', allButTemporal],
  [/^server\/payments\/acquirer\/(?:card-|mandate-)?port\.ts$/, 'port', none],
  [/^server\/payments\/acquirer\/ask\.ts$/, 'service', noFramework, allButTemporal],
  [/^server\/payments\/acquirer\//, 'adapter', noFramework],
  [/^server\/waiting\.ts$/, 'waiting', none],
  [/^server\/entities\.ts$/, 'entities', only(ORM_DEFINITIONS)],
  [/^server\/outbox\//, 'outbox', noFramework, allButTemporal],
  [new RegExp(`^${DOMAIN}/(?:.+/)?rules\\.ts$|${RULES_APART}`), 'rules', none],
  [new RegExp(`^${DOMAIN}/(?:.+/)?entity\\.ts$`), 'entity', only(ORM_DEFINITIONS)],
  [new RegExp(`^${DOMAIN}/(?:.+/)?view\\.ts$`), 'view', none],
  [/^server\/routes\//, 'routes', none],
  [new RegExp(`^${DOMAIN}/`), 'service', noFramework, allButTemporal],
  [/^server\/site\//, 'served', only(/^node:(?:crypto|fs|path|util|zlib)$/), only(/^express$/)],
  [/^site\/browser\//, 'browser', only(/^minisearch$/)],
  [/^site\//, 'site', only(/^markdown-it(?:-anchor)?$/, /^highlight\.js\//, /^node:(?:fs|path)$/)],
  [
    /^dashboard\//,
    'dashboard',
    only(
      /^react(?:$|-dom\/client$)/,
      /^react-aria-components(?:$|\/)/,
      /^@tanstack\/react-(?:router|query)$/,
      /^@internationalized\/date$/,
      /^@simplewebauthn\/browser$/,
      /^@fatura\/sdk$/,
    ),
  ],
  [
    /^server\/dashboard\//,
    'web',
    only(/^express$/, /^@ts-rest\/(?:core|express)$/, /^qrcode$/, /^node:(?:crypto|zlib)$/),
  ],
  [/^web\/page\//, 'page', only(/^preact(?:$|\/hooks$|-render-to-string$)/, /^maska$/, /^email-misspelled$/)],
  [
    /^server\/web\//,
    'web',
    only(
      /^express$/,
      /^lru-cache$/,
      /^zod$/,
      /^(?:pdfkit|fontkit)$/,
      /^node:(?:crypto|events|fs|os|path|module|stream\/(?:consumers|promises)|worker_threads|zlib)$/,
    ),
  ],
  [/^server\/reactions\.ts$/, 'reactions', none],
  [/^server\/deps\.ts$/, 'deps', none, allButTemporal],
  [
    /^server\/(?:app|compose|open-ring|open-tracing|opentelemetry|run-until-stopped|exit-saying|main|migrate|config|config-formats|config-kinds|config-misfits|config-names|logging|metrics|business-metrics|plain-text)\.ts$/,
    'root',
    (name, from) => !TEMPORAL.test(name) || from === 'server/main.ts',
  ],
  [/^ops\//, 'ops', allButTemporal],
  [/^dev\/embedded\//, 'embedded', () => true],
  [/^dev\/start\.ts$/, 'start', allButTemporal],
  [/^workflows\/(?:cases\/|runs\.ts$|workflows\.ts$)/, 'workflow', only(/^@temporalio\/workflow$/)],
  [/^workflows\//, 'worker', () => true],
  [/^sdk\/src\/cli\/mcp\//, 'mcp', only(/^node:/, /^@modelcontextprotocol\/sdk\//)],
  [/^sdk\/src\/cli\//, 'cli', only(/^node:/)],
  [/^sdk\/src\//, 'sdk', none],
];

/** The zone a file stands in; null where the design has none for it. */
export function zoneOf(path: string): Zone | null {
  const found = zones.find(([files]) => files.test(path));
  if (found === undefined) return null;
  const [, name, packages, packageTypes] = found;
  return { name, domain: domainOf(path), packages, ...(packageTypes === undefined ? {} : { packageTypes }) };
}

const all: Reach = { values: 'all' };
const types: Reach = { types: 'all' };
const own: Reach = { values: 'own' };
const down: Reach = { values: 'down' };

const everyServerZone: Partial<Record<ZoneName, Reach>> = {
  contract: all,
  kernel: all,
  rules: all,
  entity: all,
  view: all,
  service: all,
  routes: all,
  web: all,
  page: types,
  served: all,
  accounts: all,
  staff: all,
  admission: all,
  db: all,
  sealing: all,
  'audit-log': all,
  'unit-of-work': all,
  jobs: all,
  migration: all,
  http: all,
  port: all,
  adapter: all,
  outbox: all,
  waiting: all,
  entities: all,
  reactions: all,
  deps: all,
  root: all,
};

/** Who may import what (docs/design/parts.md#who-may-import-what). What is not listed may not be imported. */
const table: Readonly<Record<ZoneName, Partial<Record<ZoneName, Reach>>>> = {
  contract: { contract: all },
  kernel: { kernel: all, contract: types },
  rules: { kernel: all, rules: down, contract: types },
  // The lists that a column takes its values from are the rules'.
  entity: { kernel: all, entity: own, rules: own, contract: types },
  // Amounts that are shown and not stored come from the rule.
  view: { kernel: all, rules: down, entity: { types: 'own' }, contract: types },
  service: {
    kernel: all,
    contract: all,
    rules: down,
    // Another domain's rows are read through its services; their shape is no secret.
    entity: { values: 'own', types: 'down' },
    view: down,
    service: down,
    db: all,
    sealing: all,
    'audit-log': all,
    'unit-of-work': all,
    jobs: all,
    accounts: all,
    admission: all,
    port: all,
    waiting: all,
    entities: all,
    deps: types,
  },
  routes: { contract: all, kernel: all, service: all, routes: all, http: all, deps: types },
  // A page shows what several domains know.
  web: {
    contract: all,
    kernel: all,
    rules: all,
    entity: types,
    view: all,
    service: all,
    web: all,
    page: all,
    http: all,
    accounts: all,
    admission: all,
    db: all,
    sealing: all,
    'unit-of-work': all,
    jobs: all,
    deps: types,
    staff: all,
    'audit-log': all,
  },
  served: { served: all },
  site: { contract: all, kernel: all, site: all },
  browser: { browser: all },
  dashboard: { dashboard: all, contract: types },
  // It runs in browsers: rules alone, so that a page judges as the service does.
  page: { kernel: all, rules: all, contract: types, page: all },
  accounts: { kernel: all, contract: all, accounts: all, db: all, 'unit-of-work': all, 'audit-log': all, jobs: all },
  staff: {
    kernel: all,
    contract: all,
    staff: all,
    accounts: all,
    admission: all,
    'audit-log': all,
    db: all,
    sealing: all,
    deps: types,
  },
  admission: { kernel: all, admission: all, db: all },
  db: { kernel: all, contract: all, db: all, migration: all },
  sealing: { kernel: all, sealing: all, db: all },
  'audit-log': { kernel: all, contract: all, 'audit-log': all, db: all },
  'unit-of-work': {
    kernel: all,
    contract: all,
    'unit-of-work': all,
    sealing: all,
    'audit-log': all,
    db: all,
    waiting: types,
  },
  jobs: { kernel: all, jobs: all, db: all },
  migration: { migration: all, db: all },
  http: {
    kernel: all,
    contract: all,
    http: all,
    db: all,
    sealing: all,
    'audit-log': all,
    'unit-of-work': all,
    accounts: all,
    admission: all,
    deps: types,
  },
  port: { kernel: all, port: types },
  adapter: { kernel: all, port: all, adapter: all },
  outbox: { kernel: all, db: all, jobs: all, 'unit-of-work': all, outbox: all, waiting: all, deps: types },
  waiting: { kernel: all, rules: all },
  entities: { entity: all, accounts: all, staff: all, outbox: all, adapter: all, db: all },
  reactions: { service: all, 'unit-of-work': all },
  deps: {
    kernel: types,
    db: types,
    sealing: types,
    'unit-of-work': types,
    service: types,
    port: types,
    root: types,
    reactions: types,
  },
  root: everyServerZone,
  ops: { ...everyServerZone, ops: all },
  embedded: { kernel: all, embedded: all, root: types },
  start: { embedded: all, root: all },
  workflow: { workflow: all, kernel: all, worker: types },
  worker: { ...everyServerZone, workflow: all, worker: all },
  sdk: { sdk: all },
  // It runs on Node alone; the client beside it runs anywhere.
  cli: { sdk: all, cli: all, mcp: all },
  // A chunk of its own, bundled with the protocol: it shares nothing with the commands but the client.
  mcp: { sdk: all, mcp: all },
};

export const reachOf = (from: ZoneName, to: ZoneName): Reach | undefined => table[from][to];

/** Where the code departs from the table for a good reason. */
export const exceptions: readonly {
  readonly from: RegExp;
  readonly to: RegExp;
  readonly typesOnly?: true;
  readonly why: string;
}[] = [
  {
    from: /^contract\/openapi(\.ts|\/operations\.ts)$/,
    to: /^@ts-rest\/open-api$/,
    why: 'turns the router into the OpenAPI document',
  },
  { from: /^contract\/released\/freeze\.ts$/, to: /^node:fs$/, why: 'a script: writes the released document' },
  {
    from: /^web\/page\//,
    to: /^contract\/forms\.ts$/,
    why: 'the form of an e-mail address, of a CEP and of a state is told once; the file imports nothing',
  },
  {
    from: /^web\/page\/card-token\.ts$/,
    to: /^sdk\/src\/card-post\.ts$/,
    why: 'the hosted page and pages of merchants send a card in one way; the file imports nothing',
  },
  {
    from: /^dashboard\//,
    to: /^contract\/roles\.ts$/,
    why: 'a screen shows what a role may do as the service judges it; the file imports nothing',
  },
  { from: /^server\/kernel\/ids\.ts$/, to: /^(?:typeid-js|uuidv7)$/, why: 'ids are TypeIDs of UUIDv7' },
  { from: /^server\/kernel\/key-ring\.ts$/, to: /^node:crypto$/, why: 'derives the keys and ids of a ring' },
  { from: /^server\/kernel\/pages\.ts$/, to: /^contract\/kernel\.ts$/, why: 'the default page size is the contract’s' },
  { from: /^server\/customers\/tax-id\.ts$/, to: /^cpf-cnpj-validator$/, why: 'check digits of CPF and CNPJ' },
  { from: /^server\/profile\/color\.ts$/, to: /^colord/, why: 'lightness and contrast of colors' },
  { from: /^server\/customers\/phone\.ts$/, to: /^libphonenumber-js\//, why: 'national numbering plans' },
  {
    from: /^server\/payments\/card\/number\.ts$/,
    to: /^(?:card-validator\/|credit-card-type$)/,
    why: 'check digits and the ranges of the brands',
  },
  { from: /\/rules\.ts$/, to: /^contract\//, why: 'ceilings and minima that the contract states are not stated twice' },
  { from: /\/entity\.ts$/, to: /^contract\//, why: 'columns take the lists of statuses that the contract declares' },
  {
    from: /\/entity\.ts$/,
    to: /^server\/db\/columns\.ts$/,
    why: 'every entity declares its table in the same words',
  },
  {
    from: /^server\/payments\/acquirer\/(?:card-|mandate-)?port\.ts$/,
    to: /^contract\//,
    typesOnly: true,
    why: 'brands, and reasons of declines and refunds, have the contract’s names at every acquirer',
  },
  {
    from: /^ops\/doctor\/surroundings\.ts$/,
    to: /^workflows\/probe\.ts$/,
    why: 'the doctor asks Temporal as a worker would',
  },
  {
    from: /^server\/payments\/pix\/image\.ts$/,
    to: /^server\/payments\/acquirer\/br-code\.ts$/,
    why: 'a BR Code is drawn by us, whichever acquirer wrote it',
  },
  {
    from: /^server\/web\/test-cards\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/test-cards\.ts$/,
    why: 'a page of the sandbox offers the cards that its acquirer knows',
  },
  {
    from: /^server\/payments\/pix\/pay\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/buyer\.ts$/,
    why: 'the buyer of the sandbox pays at the simulated bank',
  },
  {
    from: /^server\/payments\/card\/sandbox-token\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/browser-tokens\.ts$/,
    why: 'a browser gives the card to the simulated acquirer',
  },
  {
    from: /^server\/payments\/card\/customer-cards\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/issuer\.ts$/,
    why: 'the issuer of the sandbox changes a card when it is told to',
  },
  {
    from: /^server\/payments\/pix\/buyer-mandates\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/(?:debits|mandates)\.ts$/,
    why: 'buyers of the sandbox and their bank decide on mandates and debits when they are told to',
  },
  {
    from: /^server\/payments\/pix\/take-back\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/med\.ts$/,
    why: 'the bank of the sandbox takes money back when it is told to',
  },
  {
    from: /^server\/payments\/pix\/at-bank\.ts$/,
    to: /^server\/payments\/acquirer\/sandbox\/buyer\.ts$/,
    typesOnly: true,
    why: 'the bank of the sandbox says when it gives its notice',
  },
  {
    from: /^server\/payments\/acquirer\/sandbox\/(?:buyer|med)\.ts$/,
    to: /^contract\/(?:sandbox|disputes)\.ts$/,
    typesOnly: true,
    why: 'what the buyer and the bank of the sandbox do has the contract’s names',
  },
  {
    from: /^server\/payments\/live\/pix\//,
    to: /^server\/payments\/acquirer\/api-pix\//,
    why: 'brings API Pix to live money: nothing else there knows which acquirers there are',
  },
  {
    from: /^server\/payments\/live\/card\//,
    to: /^server\/payments\/acquirer\/pagarme\//,
    why: 'brings Pagar.me to live money, as above',
  },
  {
    from: /^server\/payments\/acquirer\/sandbox\//,
    to: /^server\/(?:db|unit-of-work)\//,
    why: 'the sandbox bank keeps books of its own in our database',
  },
  {
    from: /^dev\/embedded\/postgres-logins\.ts$/,
    to: /^server\/db\/roles\.ts$/,
    why: 'the roles that logins belong to are there before the tables',
  },
  {
    from: /^dev\/embedded\/temporal\.ts$/,
    to: /^workflows\/search-attributes\.ts$/,
    why: 'the Temporal server of this machine knows from its first start what the worker asks of any other',
  },
  {
    from: /^site\//,
    to: /^server\/site\/served\.ts$/,
    why: 'what a build writes and the service reads is told once; the file imports nothing',
  },
  {
    from: /^ops\//,
    to: /^dev\/embedded\/data-dir\.ts$/,
    why: 'commands without settings reach what `npm start` runs',
  },
  {
    from: /^server\/unit-of-work\/unique\.ts$/,
    to: /^server\/deps\.ts$/,
    typesOnly: true,
    why: 'asks for a reader as every use case gets it',
  },
];
