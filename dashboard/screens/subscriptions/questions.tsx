import type { Subscription } from '@fatura/sdk';
import type { ComponentProps } from 'react';
import { useFatura } from '../../api/queries.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { type ChangeTexts, changeTexts } from './change-texts.ts';
import { EditDialog } from './edit-dialog.tsx';
import { type SubscriptionTexts, subscriptionsTexts } from './texts.ts';
import type { WholeSubscription } from './use-subscription.ts';

/** What is asked now, before it is done. */
export type Asking =
  | (
      | 'edit'
      | 'change'
      | 'takeBack'
      | 'endTrial'
      | 'forgive'
      | 'reactivate'
      | 'pause'
      | 'resume'
      | 'cancelLater'
      | 'uncancel'
      | 'cancel'
    )
  | null;

interface QuestionsProps {
  readonly whole: WholeSubscription;
  readonly asking: Asking;
  readonly onClose: () => void;
}

/** What is asked before it is done. */
interface Asked extends Pick<ComponentProps<typeof Confirm>, 'title' | 'act' | 'done' | 'isDanger'> {
  /** The words of the button, where they are others than the title. */
  readonly action?: string;
  readonly text: string;
}

/** What an end before the minimum term costs. */
const fineOf = (
  term: Subscription['minimum_term'],
  words: SubscriptionTexts['actions']['penalty'],
  { money, date }: Pick<ReturnType<typeof useFormat>, 'money' | 'date'>,
): string =>
  term === null || term.ends_at === null || term.penalty_now === 0
    ? ''
    : words(money(term.penalty_now), date(term.ends_at));

/** What brings a subscription to a stop for a while, or lets it go on. */
function goingOn(
  subscriptions: ReturnType<typeof useFatura>['subscriptions'],
  id: string,
  texts: SubscriptionTexts['actions'],
): Record<'pause' | 'resume' | 'reactivate' | 'uncancel', Asked> {
  return {
    reactivate: {
      title: texts.reactivate,
      act: (options) => subscriptions.reactivate(id, options),
      done: texts.reactivated,
      text: texts.reactivateText,
    },
    uncancel: {
      title: texts.uncancel,
      act: (options) => subscriptions.uncancel(id, options),
      done: texts.uncanceled,
      text: texts.uncancelText,
    },
    pause: {
      title: texts.pause,
      act: (options) => subscriptions.pause(id, { at: 'now' }, options),
      done: texts.paused,
      text: texts.pauseText,
    },
    resume: {
      title: texts.resume,
      act: (options) => subscriptions.resume(id, options),
      done: texts.resumed,
      text: texts.resumeText,
    },
  };
}

/** A change that waits is taken back. */
function takingBack(
  subscriptionChanges: ReturnType<typeof useFatura>['subscriptionChanges'],
  { id, pending_change: waiting }: Subscription,
  texts: ChangeTexts,
): Partial<Record<'takeBack', Asked>> {
  if (waiting === null) return {};
  return {
    takeBack: {
      title: texts.takeBack,
      act: () => subscriptionChanges.cancel(id, waiting.id),
      done: texts.takenBack,
      text: texts.takeBackText,
    },
  };
}

function useQuestions({ subscription, open }: WholeSubscription): Partial<Record<NonNullable<Asking>, Asked>> {
  const texts = useTexts(subscriptionsTexts).actions;
  const { money, date } = useFormat();
  const changes = useTexts(changeTexts);
  const { subscriptions, subscriptionChanges, invoices } = useFatura();
  const { id, default_payment_method: card, minimum_term: term } = subscription;
  const end = subscription.status === 'trialing' ? subscription.trial_end : subscription.current_period_end;
  const fine = fineOf(term, texts.penalty, { money, date });
  const [oldest] = open;
  return {
    ...(oldest !== undefined && {
      forgive: {
        title: texts.forgive,
        action: texts.forgiveAction,
        act: (options) => invoices.markUncollectible(oldest.id, options),
        done: texts.forgiven,
        text: texts.forgiveText(money(oldest.amount_remaining), date(oldest.due_at)),
        isDanger: true,
      },
    }),
    ...goingOn(subscriptions, id, texts),
    ...takingBack(subscriptionChanges, subscription, changes),
    endTrial: {
      title: texts.endTrial,
      act: (options) => subscriptions.endTrial(id, options),
      done: texts.trialEnded,
      text: texts.endTrialText(card !== null),
    },
    cancelLater: {
      title: texts.cancelLater,
      act: (options) => subscriptions.cancelAt(id, { at: 'period_end' }, options),
      done: texts.canceledLater,
      text: [texts.cancelLaterText(date(end ?? 0)), fine].join(''),
      isDanger: true,
    },
    cancel: {
      title: texts.cancel,
      // Its repeat answers the same without a key.
      act: () => subscriptions.cancel(id),
      done: texts.canceled,
      text: [texts.cancelText, fine].join(''),
      isDanger: true,
    },
  };
}

/** Asks what is to be asked before something is done with a subscription. */
export function Questions({ whole, asking, onClose }: QuestionsProps) {
  const questions = useQuestions(whole);
  return (
    <>
      <EditDialog subscription={whole.subscription} onClose={onClose} isOpen={asking === 'edit'} />
      <ChangeDialog subscription={whole.subscription} onClose={onClose} isOpen={asking === 'change'} />
      {Object.entries(questions).map(([name, { text, action, ...question }]) => (
        <Confirm key={name} {...question} action={action ?? question.title} onClose={onClose} isOpen={asking === name}>
          <p>{text}</p>
        </Confirm>
      ))}
    </>
  );
}
