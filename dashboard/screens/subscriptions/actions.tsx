import type { Subscription } from '@fatura/sdk';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { type Action, ActionMenu } from '../../parts/action-menu.tsx';
import { useBillActs } from '../../parts/bill-acts.ts';
import { firstName, openBeside, whatsAppUrl } from '../../parts/open-beside.ts';
import { useTexts } from '../../texts/language.tsx';
import { type ChangeTexts, changeTexts } from './change-texts.ts';
import { type Asking, Questions } from './questions.tsx';
import { type SubscriptionTexts, subscriptionsTexts } from './texts.ts';
import type { WholeSubscription } from './use-subscription.ts';

interface Wanted {
  readonly whole: WholeSubscription;
  readonly texts: SubscriptionTexts;
  readonly changes: ChangeTexts;
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

/** Another plan, or the one that waits taken back. */
function changeActions({ whole: { subscription }, changes, role, ask }: Wanted): Action[] {
  const { status, pending_change: waiting } = subscription;
  const isRefused = status === 'suspended' || status === 'inactive';
  return [
    {
      id: 'change',
      name: changes.action,
      run: () => ask('change'),
      refused: role('subscriptionChanges.create') ?? (isRefused ? changes.refused : null),
    },
    ...(waiting === null
      ? []
      : [
          {
            id: 'takeBack',
            name: changes.takeBack,
            run: () => ask('takeBack'),
            refused: role('subscriptionChanges.cancel'),
          },
        ]),
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
    ...changeActions(wanted),
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

/** What can be done with a subscription in its state; what cannot says why. */
export function SubscriptionActions({ whole }: { whole: WholeSubscription }) {
  const texts = useTexts(subscriptionsTexts);
  const role = useRoleRefusal();
  const acts = useBillActs(texts.actions);
  const [asking, ask] = useState<Asking>(null);
  const wanted = { whole, texts, changes: useTexts(changeTexts), role, acts, ask };
  return (
    <>
      {acts.trouble !== null && <span role="alert">{acts.trouble}</span>}
      <ActionMenu actions={[...chargingActions(wanted), ...cardActions(wanted), ...statusActions(wanted)]} />
      <Questions whole={whole} asking={asking} onClose={() => ask(null)} />
    </>
  );
}
