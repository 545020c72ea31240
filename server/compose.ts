import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';
import { readScope } from './accounts/scope.ts';
import { connectionSharing } from './admission/connections.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { watchClock } from './db/database-clock.ts';
import { scopedReader } from './db/entity-reader.ts';
import { run } from './db/statement.ts';
import type { Watch } from './db/watch.ts';
import { watchWrites } from './db/write-proof.ts';
import type { Deps, Settings } from './deps.ts';
import { entities } from './entities.ts';
import { createSender, type Sender } from './events/deliveries/http/sender.ts';
import { createPostBudget } from './events/deliveries/post-budget.ts';
import { CHARGES_AT_ONCE } from './jobs/due-run.ts';
import { createWaker } from './jobs/notifications.ts';
import type { KeyRing } from './kernel/key-ring.ts';
import { MODES, type Mode } from './kernel/mode.ts';
import type { OidcSettings } from './kernel/oidc-settings.ts';
import { type Clock, type ClockScope, systemClock } from './kernel/time.ts';
import { type Tracing, untraced } from './kernel/tracing.ts';
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
import { ungrouped } from './unit-of-work/grouped.ts';
import { type LateReads, type ReadPlace, ReplicaReads, withoutReplica } from './unit-of-work/late-reads.ts';
import { LookUps } from './unit-of-work/look-ups.ts';
import { createTransaction } from './unit-of-work/transaction.ts';
import type { Scope, TxDeps } from './unit-of-work/tx.ts';
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
  /** Of a replica of it; absent or null: there is none. */
  readonly readUrl?: string | null;
  readonly keyRing: KeyRing;
  readonly publicUrl: string;
  readonly trustProxy: number;
  readonly clientCertificateHeader?: string | null;
  readonly metricsToken?: string | null;
  readonly securityContact?: string | null;
  readonly oidc?: OidcSettings | null;
  readonly temporalUi?: string | null;
  readonly rateLimit: Config['rateLimit'];
  readonly chargesAtOnce?: number;
  readonly webhookAllowedNetworks: readonly string[];
  /** Whether merchants are shown what those networks answer; absent: they are not. */
  readonly quotesAllowedNetworks?: boolean;
  /** Who is asked for the addresses of names that merchants give; null: the name servers of the machine. */
  readonly webhookNameServers?: readonly string[] | null;
  /** How e-mails go out; absent: they are kept. */
  readonly mail?: { readonly smtpUrl: string; readonly from: MailAddress } | undefined;
  readonly logger: Logger;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing;
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
  chargesAtOnce = CHARGES_AT_ONCE,
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
  chargesAtOnce,
  rateLimit,
});

/** The database with connections for whoever the process works for. */
function openShared(
  options: ComposeOptions,
  { processRing, metrics }: { processRing: ProcessRing; metrics: Metrics },
): Promise<Database> {
  return openDatabase(options.databaseUrl, {
    entities,
    onError: (error) => options.logger.warn({ err: error }, 'database connection lost'),
    onConnect: createKeyProof(processRing),
    ...sizeAndSharing(options, metrics),
  });
}

function sizeAndSharing({ modes = MODES, poolSize, sharedByAccounts = false }: ComposeOptions, metrics: Metrics) {
  const refuse = () => metrics.limits.refuse('connections', { liveMode: modes.includes('live') });
  return {
    ...(poolSize === undefined ? {} : { size: poolSize }),
    ...(sharedByAccounts ? { sharing: connectionSharing(refuse) } : {}),
  };
}

/** What every process goes on looking at: who seals with which keys, the database's clock, and whether it takes what is written. */
const watchDatabase = (of: { pool: pg.Pool; processRing: ProcessRing; metrics: Metrics; logger: Logger }): Watch[] => [
  watchRing(of),
  watchClock(of),
  watchWrites(of),
];

/** Reads what may be late from the replica, if there is one. */
async function openLate(
  options: ComposeOptions,
  { primary, metrics }: { primary: ReadPlace; metrics: Metrics },
): Promise<{ late: LateReads; close(): Promise<void> }> {
  const { readUrl = null, logger } = options;
  if (readUrl === null) return { late: withoutReplica(primary), close: async () => {} };
  const database = await openDatabase(readUrl, {
    entities,
    isReplica: true,
    isReadOnly: true,
    ...sizeAndSharing(options, metrics),
  });
  const replica = { pool: database.pool, read: (scope: Scope) => scopedReader(database.orm, scope) };
  const late = new ReplicaReads({ primary, replica, lag: metrics.replicaLag, metrics, logger });
  const close = async (): Promise<void> => {
    await late.stop();
    await database.close();
  };
  return { late, close };
}

interface Closed {
  readonly mailer: { close(): void } | null;
  readonly sender: Sender;
  readonly live: { close(): Promise<void> };
  readonly watches: readonly Watch[];
  readonly late: { close(): Promise<void> };
  readonly tracing: Tracing;
  readonly database: Database;
}

async function closeInTurn({ mailer, sender, live, watches, late, tracing, database }: Closed): Promise<void> {
  mailer?.close();
  await sender.close();
  await live.close();
  await Promise.all(watches.map((watch) => watch.stop()));
  await late.close();
  await database.close();
  await tracing.close();
}

/** How use cases work in the database; what runs do together, runs group themselves. */
function workIn(
  pool: pg.Pool,
  tools: Pick<TxDeps, 'clock' | 'watermark' | 'links' | 'secretBox' | 'business' | 'tracing'>,
) {
  const transaction = createTransaction({
    ...tools,
    pool,
    reactions,
    readScope: (of: ClockScope) => readScope(pool, of),
    wake: createWaker(pool),
  });
  const looks = new LookUps((prepared, values) => run(pool, prepared, values));
  return { transaction, grouped: ungrouped(transaction), looks };
}

/** Builds what every process of the service works with. */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const { logger, clock = systemClock, tracing = untraced } = options;
  const metrics = createMetrics();
  const secretBox = createSecretBox(options.keyRing);
  const processRing = newProcessRing(secretBox, `${hostname()}/${process.pid}`);
  const database = await openShared(options, { processRing, metrics });
  const sender = senderOf(options);
  const { pool } = database;
  const mailer = options.mail === undefined ? null : createMailer(options.mail);
  const watches = watchDatabase({ pool, processRing, metrics, logger });
  const watermark = createWatermark(pool, processRing);
  const primary = { pool, read: (scope: Scope) => scopedReader(database.orm, scope), watermark };
  const late = await openLate(options, { primary, metrics });
  const links = createLinks({ secretBox, publicUrl: options.publicUrl });
  const live = createLiveRegistry({ pool, secretBox, logger, metrics });
  const acquirers = { sandbox: createSandboxAcquirer(pool), live };
  const deps: Deps = {
    ...primary,
    orm: database.orm,
    clock,
    ...workIn(pool, { clock, watermark, links, secretBox, business: metrics.business, tracing }),
    late: late.late,
    secretBox,
    links,
    acquirers,
    ask: createAsk({ acquirers, clock, metrics, logger, tracing }),
    sender,
    cardTesting: createCardTesting({ pool, metrics, logger }),
    posts: createPostBudget({ pool, sender, metrics }),
    mailer,
    receiptFiles: createReceiptFiles({ pool, secretBox }),
    logger,
    metrics,
    tracing,
    settings: settingsOf(options),
  };
  return { deps, database, close: () => closeInTurn({ mailer, sender, live, watches, late, tracing, database }) };
}
