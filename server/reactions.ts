import {
  completeSession,
  completeWithCard,
  decideAfterDecline,
  expireWithSubscription,
  refuseWhileInSession,
  refuseWhileOffered,
} from './checkout/following.ts';
import { erasePromotionCodes } from './coupons/promotion-codes.ts';
import { afterAnonymized, beforeAnonymized } from './customers/anonymize.ts';
import { endpointFailing } from './events/health.ts';
import { removeExports } from './exports/rows.ts';
import { eraseInvoiceCopies, refuseWhileBilled } from './invoices/erasure.ts';
import { afterPaid, beforePaid } from './invoices/life.ts';
import { writeOfEndingCertificate } from './mail/acquirer-certificate.ts';
import { writeToMerchant } from './mail/endpoint-health.ts';
import { writeOfFacts, writeOfReturn } from './mail/fact-letters.ts';
import { writeOfLook } from './mail/look-change.ts';
import { eraseMails } from './mail/queue.ts';
import { beforeDeclined } from './payments/card/attempts.ts';
import { defaultCardChanged } from './payments/card/customer-cards.ts';
import { afterClosing, beforeClosing } from './payments/close-invoice.ts';
import { eraseCards, refuseWhileMoneyMoves } from './payments/erasure.ts';
import { certificateEnding } from './payments/live/certificates.ts';
import { debitMoved } from './payments/pix/debits.ts';
import { partEnded } from './payments/refunds/parts.ts';
import { endPortalLinks } from './portal/links.ts';
import { lookChanged } from './profile/update.ts';
import { completePaid, followPaid } from './subscriptions/activation.ts';
import { afterEnded } from './subscriptions/cancel.ts';
import { beforeFirstChanged } from './subscriptions/change.ts';
import { beginPaid, holdPaid } from './subscriptions/changes/awaiting.ts';
import { followDecline } from './subscriptions/collection/charge.ts';
import { dropReleased } from './subscriptions/coupon.ts';
import { eraseCancellations, eraseConsent } from './subscriptions/erasure.ts';
import { refuseWhileAwaited, refuseWhileSubscribed } from './subscriptions/guards.ts';
import { askForLateFees } from './subscriptions/late-fees.ts';
import { tellOfDebit } from './subscriptions/mandates/letters.ts';
import { afterFirstCard, followDefault } from './subscriptions/payment-method.ts';
import { at, beforeCommit, type Reactions } from './unit-of-work/hooks.ts';

/** Who has a say in what a domain below does, in its transaction: who may refuse it, and what else it changes. */
export const reactions: Reactions = new Map<string, readonly unknown[]>([
  at(beforeClosing, refuseWhileAwaited, refuseWhileInSession),
  at(afterClosing, dropReleased),
  at(beforePaid, completePaid, beginPaid),
  at(afterPaid, followPaid, holdPaid, askForLateFees, completeSession),
  at(beforeDeclined, followDecline, decideAfterDecline),
  at(debitMoved, tellOfDebit),
  at(beforeCommit, writeOfFacts),
  at(partEnded, writeOfReturn),
  at(endpointFailing, writeToMerchant),
  at(lookChanged, writeOfLook),
  at(certificateEnding, writeOfEndingCertificate),
  at(afterEnded, expireWithSubscription),
  at(beforeFirstChanged, refuseWhileOffered),
  at(afterFirstCard, completeWithCard),
  at(defaultCardChanged, followDefault),
  at(beforeAnonymized, refuseWhileSubscribed, refuseWhileBilled, refuseWhileMoneyMoves),
  // The copies first: behind the locks of the invoices, no mail is being written any more.
  at(
    afterAnonymized,
    eraseInvoiceCopies,
    eraseMails,
    eraseCards,
    erasePromotionCodes,
    eraseCancellations,
    eraseConsent,
    removeExports,
    endPortalLinks,
  ),
]);
