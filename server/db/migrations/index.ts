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
import { EventStandings } from './0022-event-standings.ts';
import { LastEvents } from './0023-last-events.ts';

/** Migrations in the order they run; a released one never changes. */
export const migrationsList = [
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
  { name: '0022-event-standings', class: EventStandings },
  { name: '0023-last-events', class: LastEvents },
];
