import type { Subscription } from '@fatura/sdk';
import { type ComponentProps, useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { type Action, ActionMenu } from '../../parts/action-menu.tsx';
import { useBillActs } from '../../parts/bill-acts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { firstName, openBeside, whatsAppUrl } from '../../parts/open-beside.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { type SubscriptionTexts, subscriptionsTexts } from './texts.ts';
import type { WholeSubscription } from './use-subscription.ts';

type Asking =
  | ('edit' | 'endTrial' | 'forgive' | 'reactivate' | 'pause' | 'resume' | 'cancelLater' | 'uncancel' | 'cancel')
  | null;

interface Wanted {
  readonly whole: WholeSubscription;
  readonly texts: SubscriptionTexts;
  readonly role: ReturnType<typeof useRoleRefusal>;
  readonly acts: ReturnType<typeof useBillActs>;
  readonly ask: (asking: Asking) => void;
}

/** What brings the money of an open invoice. */
function chargingActions({ whole: { customer, open, charge }, texts, role, acts }: Wanted): Action[] {
  const { actions, refused } = texts;
  const [oldest] = open;
  const id = oldest?.id ?? '';
  const noOpen = oldest === undefined ? refused.nothingOpen : null;
  return [
    {
      id: 'pix',
      name: actions.pix,
      run: () => acts.copyPix.run(id),
      refused: role('invoices.checkout') ?? noOpen ?? (charge?.status === 'processing' ? refused.processing : null),
    },
    {
      id: 'send',
      name: actions.send,
      run: () => acts.send.run(id),
      refused: role('invoices.send') ?? noOpen ?? (customer.email === null ? refused.noEmail : null),
    },
  ];
}

/** How the buyer gives another card. */
function cardActions({ whole: { subscription, customer }, texts: { actions, refused }, role, acts }: Wanted): Action[] {
  const url = subscription.update_payment_url ?? '';
  const noLink =
    role('subscriptions.updatePaymentMethod') ?? (subscription.status === 'inactive' ? refused.noLink : null);
  const share = (): void =>
    openBeside(whatsAppUrl(customer.phone ?? '', actions.whatsAppText(firstName(customer.name), url)));
  return [
    { id: 'link', name: actions.copyLink, run: () => void acts.copyLink(url), refused: noLink },
    {
      id: 'whatsapp',
      name: actions.whatsApp,
      run: share,
      refused: noLink ?? (customer.phone === null ? refused.noPhone : null),
    },
  ];
}

/** One ends with its period, or that is taken back. */
function endActions({
  subscription: { status, cancel_at: endsAt },
  actions,
  refused,
  role,
  ask,
}: Pick<Wanted, 'role' | 'ask'> &
  Pick<SubscriptionTexts, 'actions' | 'refused'> & { subscription: Subscription }): Action[] {
  const isEnding = status !== 'inactive' && endsAt !== null;
  const hasPeriod = status === 'active' || status === 'trialing';
  if (isEnding)
    return [
      { id: 'uncancel', name: actions.uncancel, run: () => ask('uncancel'), refused: role('subscriptions.uncancel') },
    ];
  return [
    {
      id: 'cancelLater',
      name: actions.cancelLater,
      run: () => ask('cancelLater'),
      refused:
        role('subscriptions.cancelAt') ?? (status === 'inactive' ? refused.ended : hasPeriod ? null : refused.noPeriod),
      isDanger: true,
    },
  ];
}

/** One is paused, or that is ended or taken back. */
function pauseActions({ whole: { subscription }, texts: { actions, refused }, role, ask }: Wanted): Action[] {
  const { status, pause } = subscription;
  const ended = status === 'inactive' ? refused.ended : null;
  if (pause !== null)
    return [{ id: 'resume', name: actions.resume, run: () => ask('resume'), refused: role('subscriptions.resume') }];
  return [
    {
      id: 'pause',
      name: actions.pause,
      run: () => ask('pause'),
      refused: role('subscriptions.pause') ?? ended ?? (status === 'active' ? null : refused.notPausable),
    },
  ];
}

function statusActions(wanted: Wanted): Action[] {
  const { whole, texts, role, ask } = wanted;
  const { subscription, open } = whole;
  const { actions, refused } = texts;
  const { status } = subscription;
  const ended = status === 'inactive' ? refused.ended : null;
  const notForgiven = open.length === 0 ? refused.nothingOpen : status === 'active' ? null : refused.notActive;
  return [
    {
      id: 'edit',
      name: actions.edit,
      run: () => ask('edit'),
      refused: role('subscriptions.update') ?? ended,
    },
    {
      id: 'forgive',
      name: actions.forgive,
      run: () => ask('forgive'),
      refused: role('invoices.markUncollectible') ?? ended ?? notForgiven,
      isDanger: true,
    },
    {
      id: 'reactivate',
      name: actions.reactivate,
      run: () => ask('reactivate'),
      refused: role('subscriptions.reactivate') ?? ended ?? (status === 'suspended' ? null : refused.notSuspended),
    },
    ...pauseActions(wanted),
    {
      id: 'endTrial',
      name: actions.endTrial,
      run: () => ask('endTrial'),
      refused: role('subscriptions.endTrial') ?? ended ?? (status === 'trialing' ? null : refused.noTrial),
    },
    ...endActions({ subscription, actions, refused, role, ask }),
    {
      id: 'cancel',
      name: actions.cancel,
      run: () => ask('cancel'),
      refused: role('subscriptions.cancel') ?? ended,
      isDanger: true,
    },
  ];
}

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

function useQuestions({ subscription, open }: WholeSubscription): Partial<Record<NonNullable<Asking>, Asked>> {
  const texts = useTexts(subscriptionsTexts).actions;
  const { money, date } = useFormat();
  const { subscriptions, invoices } = useFatura();
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

function Questions({ whole, asking, onClose }: QuestionsProps) {
  const questions = useQuestions(whole);
  return (
    <>
      <EditDialog subscription={whole.subscription} onClose={onClose} isOpen={asking === 'edit'} />
      {Object.entries(questions).map(([name, { text, action, ...question }]) => (
        <Confirm key={name} {...question} action={action ?? question.title} onClose={onClose} isOpen={asking === name}>
          <p>{text}</p>
        </Confirm>
      ))}
    </>
  );
}

/** What can be done with a subscription in its state; what cannot says why. */
export function SubscriptionActions({ whole }: { whole: WholeSubscription }) {
  const texts = useTexts(subscriptionsTexts);
  const role = useRoleRefusal();
  const acts = useBillActs(texts.actions);
  const [asking, ask] = useState<Asking>(null);
  const wanted = { whole, texts, role, acts, ask };
  return (
    <>
      {acts.trouble !== null && <span role="alert">{acts.trouble}</span>}
      <ActionMenu actions={[...chargingActions(wanted), ...cardActions(wanted), ...statusActions(wanted)]} />
      <Questions whole={whole} asking={asking} onClose={() => ask(null)} />
    </>
  );
}
