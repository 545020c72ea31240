import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';
import { readScope } from './accounts/scope.ts';
import { connectionSharing } from './admission/connections.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { watchClock } from './db/database-clock.ts';
import { scopedReader } from './db/entity-reader.ts';
import type { Watch } from './db/watch.ts';
import { watchWrites } from './db/write-proof.ts';
import type { Deps, Settings } from './deps.ts';
import { entities } from './entities.ts';
import { createSender, type Sender } from './events/deliveries/http/sender.ts';
import { createPostBudget } from './events/deliveries/post-budget.ts';
import { createWaker } from './jobs/notifications.ts';
import type { KeyRing } from './kernel/key-ring.ts';
import { MODES, type Mode } from './kernel/mode.ts';
import type { OidcSettings } from './kernel/oidc-settings.ts';
import { type Clock, type ClockScope, systemClock } from './kernel/time.ts';
import { createMailer, type MailAddress } from './mail/mailer.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createAsk } from './payments/acquirer/ask.ts';
import { createSandboxAcquirer } from './payments/acquirer/sandbox/adapter.ts';
import { createCardTesting } from './payments/card/card-testing.ts';
import { createLiveRegistry } from './payments/live/registry.ts';
import { reactions } from './reactions.ts';
import { createKeyProof, newProcessRing, type ProcessRing } from './sealing/key-check.ts';
import { watchRing } from './sealing/key-watch.ts';
import { createLinks } from './sealing/links.ts';
import { createSecretBox } from './sealing/secret-box.ts';
import { createTransaction } from './unit-of-work/transaction.ts';
import { createWatermark } from './unit-of-work/watermark.ts';
import { createReceiptFiles } from './web/receipt/attachment.ts';

export interface Composition {
  readonly deps: Deps;
  readonly database: Database;
  close(): Promise<void>;
}

export interface ComposeOptions {
  /** Whose requests and work the process takes; absent: both modes'. */
  readonly modes?: readonly Mode[];
  readonly databaseUrl: string;
  readonly keyRing: KeyRing;
  readonly publicUrl: string;
  readonly trustProxy: number;
  readonly clientCertificateHeader?: string | null;
  readonly metricsToken?: string | null;
  readonly securityContact?: string | null;
  readonly oidc?: OidcSettings | null;
  readonly temporalUi?: string | null;
  readonly rateLimit: Config['rateLimit'];
  readonly webhookAllowedNetworks: readonly string[];
  /** Whether merchants are shown what those networks answer; absent: they are not. */
  readonly quotesAllowedNetworks?: boolean;
  /** Who is asked for the addresses of names that merchants give; null: the name servers of the machine. */
  readonly webhookNameServers?: readonly string[] | null;
  /** How e-mails go out; absent: they are kept. */
  readonly mail?: { readonly smtpUrl: string; readonly from: MailAddress } | undefined;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly poolSize?: number;
  /** Whether accounts share the process by their requests; else it works through queues of its own. */
  readonly sharedByAccounts?: boolean;
}

/** How the settings have e-mails sent. */
export const mailOptions = ({
  smtpUrl,
  mailFrom: from,
}: Pick<Config, 'smtpUrl' | 'mailFrom'>): ComposeOptions['mail'] =>
  smtpUrl === null ? undefined : { smtpUrl: smtpUrl.reveal(), from };

const senderOf = ({
  webhookAllowedNetworks: allowedNetworks,
  webhookNameServers: nameServers,
  quotesAllowedNetworks = false,
}: ComposeOptions): Sender =>
  createSender({ allowedNetworks, quotesAllowedNetworks, nameServers: nameServers ?? null });

const settingsOf = ({
  modes = MODES,
  publicUrl,
  trustProxy,
  clientCertificateHeader,
  metricsToken,
  securityContact,
  oidc,
  temporalUi,
  rateLimit,
}: ComposeOptions): Settings => ({
  modes,
  publicUrl,
  trustProxy,
  clientCertificateHeader: clientCertificateHeader ?? null,
  metricsToken: metricsToken ?? null,
  securityContact: securityContact ?? null,
  oidc: oidc ?? null,
  temporalUi: temporalUi ?? null,
  rateLimit,
});

/** The database with connections for whoever the process works for. */
function openShared(
  options: ComposeOptions,
  { processRing, metrics }: { processRing: ProcessRing; metrics: Metrics },
): Promise<Database> {
  const sharing = connectionSharing(() =>
    metrics.limits.refuse('connections', { liveMode: (options.modes ?? MODES).includes('live') }),
  );
  return openDatabase(options.databaseUrl, {
    entities,
    onError: (error) => options.logger.warn({ err: error }, 'database connection lost'),
    onConnect: createKeyProof(processRing),
    ...(options.poolSize === undefined ? {} : { size: options.poolSize }),
    ...(options.sharedByAccounts === true ? { sharing } : {}),
  });
}

/** What every process goes on looking at: who seals with which keys, the database's clock, and whether it takes what is written. */
const watchDatabase = (of: { pool: pg.Pool; processRing: ProcessRing; metrics: Metrics; logger: Logger }): Watch[] => [
  watchRing(of),
  watchClock(of),
  watchWrites(of),
];

interface Closed {
  readonly mailer: { close(): void } | null;
  readonly sender: Sender;
  readonly live: { close(): Promise<void> };
  readonly watches: readonly Watch[];
  readonly database: Database;
}

async function closeInTurn({ mailer, sender, live, watches, database }: Closed): Promise<void> {
  mailer?.close();
  await sender.close();
  await live.close();
  await Promise.all(watches.map((watch) => watch.stop()));
  await database.close();
}

/** Builds what every process of the service works with. */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const { logger } = options;
  const metrics = createMetrics();
  const secretBox = createSecretBox(options.keyRing);
  const processRing = newProcessRing(secretBox, `${hostname()}/${process.pid}`);
  const database = await openShared(options, { processRing, metrics });
  const clock = options.clock ?? systemClock;
  const sender = senderOf(options);
  const mailer = options.mail === undefined ? null : createMailer(options.mail);
  const watches = watchDatabase({ pool: database.pool, processRing, metrics, logger });
  const watermark = createWatermark(database.pool, processRing);
  const links = createLinks({ secretBox, publicUrl: options.publicUrl });
  const live = createLiveRegistry({ pool: database.pool, secretBox, logger, metrics });
  const txDeps = {
    pool: database.pool,
    clock,
    reactions,
    watermark,
    links,
    secretBox,
    readScope: (of: ClockScope) => readScope(database.pool, of),
    wake: createWaker(database.pool),
  };
  const acquirers = { sandbox: createSandboxAcquirer(database.pool), live };
  const deps: Deps = {
    pool: database.pool,
    orm: database.orm,
    clock,
    transaction: createTransaction(txDeps),
    read: (scope) => scopedReader(database.orm, scope),
    watermark,
    secretBox,
    links,
    acquirers,
    ask: createAsk({ acquirers, clock, metrics, logger }),
    sender,
    cardTesting: createCardTesting({ pool: database.pool, metrics, logger }),
    posts: createPostBudget({ pool: database.pool, sender, metrics }),
    mailer,
    receiptFiles: createReceiptFiles({ pool: database.pool, secretBox }),
    logger,
    metrics,
    settings: settingsOf(options),
  };
  return {
    deps,
    database,
    close: () => closeInTurn({ mailer, sender, live, watches, database }),
  };
}
