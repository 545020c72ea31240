import type { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { EntityReader } from './db/entity-reader.ts';
import type { Sender } from './events/deliveries/http/sender.ts';
import type { PostBudget } from './events/deliveries/post-budget.ts';
import type { Links } from './kernel/links.ts';
import type { Mode } from './kernel/mode.ts';
import type { OidcSettings } from './kernel/oidc-settings.ts';
import type { Clock } from './kernel/time.ts';
import type { Tracing } from './kernel/tracing.ts';
import type { Mailer, ReceiptFiles } from './mail/mailer.ts';
import type { Metrics } from './metrics.ts';
import type { AskAcquirer } from './payments/acquirer/ask.ts';
import type { Acquirers } from './payments/acquirer/port.ts';
import type { CardTesting } from './payments/card/card-testing.ts';
import type { SecretBox } from './sealing/secret-box.ts';
import type { Grouped } from './unit-of-work/grouped.ts';
import type { LateReads } from './unit-of-work/late-reads.ts';
import type { LookUps } from './unit-of-work/look-ups.ts';
import type { Transaction } from './unit-of-work/transaction.ts';
import type { Scope } from './unit-of-work/tx.ts';
import type { Watermark } from './unit-of-work/watermark.ts';

/** Everything a use case needs of the world; built once in the composition root. */
export interface Deps {
  readonly pool: pg.Pool;
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly transaction: Transaction;
  /** What a run does for many of an account at the same moment shares a transaction; elsewhere each work has its own. */
  readonly grouped: Grouped;
  /** Looks outside of any transaction, by key: those of one tick are one statement. */
  readonly looks: LookUps;
  /** Reads entities outside of any transaction, of one account and mode. */
  readonly read: (scope: Scope) => EntityReader;
  /** What reads what may be some seconds late. */
  readonly late: LateReads;
  /** Which rows of a list no other can come before any more. */
  readonly watermark: Watermark;
  readonly secretBox: SecretBox;
  readonly links: Links;
  readonly acquirers: Acquirers;
  /** Calls an acquirer, within a deadline. */
  readonly ask: AskAcquirer;
  readonly sender: Sender;
  /** What sandboxes may post at hosts that nobody has verified. */
  readonly posts: PostBudget;
  readonly cardTesting: CardTesting;
  /** Null without SMTP_URL: mails are kept, and shown to the operator. */
  readonly mailer: Mailer | null;
  readonly receiptFiles: ReceiptFiles;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly settings: Settings;
}

/** The settings that use cases read. */
export interface Settings {
  /** The modes that the process serves. */
  readonly modes: readonly Mode[];
  readonly publicUrl: string;
  readonly trustProxy: number;
  /** In which the proxy hands on the certificate of a client; null: it does not. */
  readonly clientCertificateHeader: string | null;
  /** Who shows it may read the metrics from anywhere; null: nobody from elsewhere may. */
  readonly metricsToken: string | null;
  /** The URI of whoever is told of a weakness; null: nobody is named. */
  readonly securityContact: string | null;
  /** Where people sign in to the dashboard beside their passwords; null: nowhere else. */
  readonly oidc: OidcSettings | null;
  /** Where the workflows are shown; null: nowhere that people of the dashboard reach. */
  readonly temporalUi: string | null;
  /** Scheduled charges that a worker has at acquirers at once, in each mode. */
  readonly chargesAtOnce: number;
  /** Requests per second and key on routes without a limit of their own. */
  readonly rateLimit: { readonly sandboxPerSecond: number; readonly livePerSecond: number };
}
