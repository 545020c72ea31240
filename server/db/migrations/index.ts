import type { Migration } from '@mikro-orm/migrations';
import { InitialSchema } from './0001-initial-schema.ts';
import { SandboxBank } from './0002-sandbox-bank.ts';
import { CardsAndRefunds } from './0003-cards-and-refunds.ts';
import { SandboxSimulator } from './0004-sandbox-simulator.ts';
import { Subscriptions } from './0005-subscriptions.ts';
import { Collection } from './0006-collection.ts';
import { Mail } from './0007-mail.ts';
import { RenewalCharges } from './0008-renewal-charges.ts';
import { TestClock } from './0009-test-clock.ts';
import { EncryptionCanary } from './0010-encryption-canary.ts';
import { SandboxMails } from './0011-sandbox-mails.ts';
import { ScheduledCharges } from './0012-scheduled-charges.ts';
import { SandboxCardExpiry } from './0013-sandbox-card-expiry.ts';
import { RefundsByFirstPart } from './0014-refunds-by-first-part.ts';
import { CustomerEmailCase } from './0015-customer-email-case.ts';
import { CheckoutSessions } from './0016-checkout-sessions.ts';
import { AccountLook } from './0017-account-look.ts';
import { MailOccasions } from './0018-mail-occasions.ts';
import { Resends } from './0019-resends.ts';
import { AttemptAnswers } from './0020-attempt-answers.ts';
import { EndpointHealth } from './0021-endpoint-health.ts';
import { EventStandings } from './0022-event-standings.ts';
import { LastEvents } from './0023-last-events.ts';
import { Disputes } from './0024-disputes.ts';
import { LiveAcquirers } from './0025-live-acquirers.ts';
import { CertificateWarnings } from './0026-certificate-warnings.ts';
import { DatabaseRoles } from './0027-database-roles.ts';
import { RowLevelSecurity } from './0028-row-level-security.ts';
import { KeyRing } from './0029-key-ring.ts';
import { SealedCustomers } from './0030-sealed-customers.ts';
import { Lanes } from './0033-lanes.ts';
import { ApiKeys } from './0034-api-keys.ts';
import { AuditLog } from './0035-audit-log.ts';
import { PostsAndMails } from './0036-posts-and-mails.ts';
import { Removal } from './0037-removal.ts';
import { RolesOfLaterTables } from './0038-roles-of-later-tables.ts';
import { EstimatesBehindPolicies } from './0039-estimates-behind-policies.ts';
import { TurnsOfLadders } from './0040-turns-of-ladders.ts';
import { EndpointsThatStand } from './0041-endpoints-that-stand.ts';
import { RemovalOfAttempts } from './0042-removal-of-attempts.ts';
import { AccountLooks } from './0043-account-looks.ts';
import { ToldOfLooks } from './0044-told-of-looks.ts';
import { TypedEmails } from './0046-typed-emails.ts';
import { TypedEmailsOfBefore } from './0047-typed-emails-of-before.ts';
import { ShortWaitsForPartitions } from './0048-short-waits-for-partitions.ts';
import { Readiness } from './0050-readiness.ts';

export interface NamedMigration {
  readonly name: string;
  readonly class: new (...made: ConstructorParameters<typeof Migration>) => Migration;
}

/** Migrations in the order they run; a released one never changes. */
export const migrationsList: readonly NamedMigration[] = [
  { name: '0001-initial-schema', class: InitialSchema },
  { name: '0002-sandbox-bank', class: SandboxBank },
  { name: '0003-cards-and-refunds', class: CardsAndRefunds },
  { name: '0004-sandbox-simulator', class: SandboxSimulator },
  { name: '0005-subscriptions', class: Subscriptions },
  { name: '0006-collection', class: Collection },
  { name: '0007-mail', class: Mail },
  { name: '0008-renewal-charges', class: RenewalCharges },
  { name: '0009-test-clock', class: TestClock },
  { name: '0010-encryption-canary', class: EncryptionCanary },
  { name: '0011-sandbox-mails', class: SandboxMails },
  { name: '0012-scheduled-charges', class: ScheduledCharges },
  { name: '0013-sandbox-card-expiry', class: SandboxCardExpiry },
  { name: '0014-refunds-by-first-part', class: RefundsByFirstPart },
  { name: '0015-customer-email-case', class: CustomerEmailCase },
  { name: '0016-checkout-sessions', class: CheckoutSessions },
  { name: '0017-account-look', class: AccountLook },
  { name: '0018-mail-occasions', class: MailOccasions },
  { name: '0019-resends', class: Resends },
  { name: '0020-attempt-answers', class: AttemptAnswers },
  { name: '0021-endpoint-health', class: EndpointHealth },
  { name: '0022-event-standings', class: EventStandings },
  { name: '0023-last-events', class: LastEvents },
  { name: '0024-disputes', class: Disputes },
  { name: '0025-live-acquirers', class: LiveAcquirers },
  { name: '0026-certificate-warnings', class: CertificateWarnings },
  { name: '0027-database-roles', class: DatabaseRoles },
  { name: '0028-row-level-security', class: RowLevelSecurity },
  { name: '0029-key-ring', class: KeyRing },
  { name: '0030-sealed-customers', class: SealedCustomers },
  { name: '0033-lanes', class: Lanes },
  { name: '0034-api-keys', class: ApiKeys },
  { name: '0035-audit-log', class: AuditLog },
  { name: '0036-posts-and-mails', class: PostsAndMails },
  { name: '0037-removal', class: Removal },
  { name: '0038-roles-of-later-tables', class: RolesOfLaterTables },
  { name: '0039-estimates-behind-policies', class: EstimatesBehindPolicies },
  { name: '0040-turns-of-ladders', class: TurnsOfLadders },
  { name: '0041-endpoints-that-stand', class: EndpointsThatStand },
  { name: '0042-removal-of-attempts', class: RemovalOfAttempts },
  { name: '0043-account-looks', class: AccountLooks },
  { name: '0044-told-of-looks', class: ToldOfLooks },
  { name: '0046-typed-emails', class: TypedEmails },
  { name: '0047-typed-emails-of-before', class: TypedEmailsOfBefore },
  { name: '0048-short-waits-for-partitions', class: ShortWaitsForPartitions },
  { name: '0050-readiness', class: Readiness },
];
