import { describe, expect, test } from 'vitest';
import type { EventType } from '../../contract/events.ts';
import { factsToTell } from '../../server/mail/told-facts.ts';
import type { Recorded } from '../../server/unit-of-work/hooks.ts';

const NOW = 1_800_000_000;

const subscription = (type: EventType, more: object = {}): Recorded => ({
  type,
  view: {
    ...{ id: 'sub_1', object: 'subscription', customer: 'cus_1' },
    ...{ trial_start: null, trial_end: null, current_period_start: NOW, cancel_at: null, ended: null, ...more },
  },
});

const invoice = (type: EventType, more: object = {}): Recorded => ({
  type,
  view: {
    ...{ id: 'in_1', object: 'invoice', customer: 'cus_1', subscription: 'sub_1' },
    ...{ cycle: 1, billing_reason: 'subscription_create', ...more },
  },
});

const paidIntent: Recorded = {
  type: 'payment_intent.paid',
  view: { id: 'pi_1', object: 'payment_intent', invoice: 'in_1' },
};
const dispute = (type: EventType): Recorded => ({ type, view: { id: 'dp_1', object: 'dispute', invoice: 'in_1' } });

const paid = (more: object = {}) => [paidIntent, invoice('invoice.paid', more)];
const active = [subscription('subscription.activated'), subscription('subscription.period_started')];
const onTrial = { trial_start: NOW - 9, trial_end: NOW };
const change = { cycle: null, billing_reason: 'subscription_change' };

/** What is told, and whether with the payment. */
const told = (recorded: readonly Recorded[]): [string, boolean][] =>
  factsToTell(recorded).map((fact) => [fact.kind, 'payment' in fact && fact.payment !== null]);

describe('what a transaction recorded is told', () => {
  test.each<[string, readonly Recorded[], [string, boolean][]]>([
    ['a payment alone', paid({ subscription: null, cycle: null }), [['paid', true]]],
    ['a payment of a renewal', paid({ cycle: 4 }), [['paid', true]]],
    ['a first payment, with the beginning', [...paid(), ...active], [['subscription_begun', true]]],
    ['a free beginning', [invoice('invoice.paid'), ...active], [['subscription_begun', false]]],
    [
      'a beginning whose card is charged next',
      [invoice('invoice.created'), subscription('subscription.activated')],
      [['subscription_begun', false]],
    ],
    [
      'the end of a trial whose card is charged next: with the payment',
      [invoice('invoice.created'), subscription('subscription.activated', onTrial)],
      [],
    ],
    [
      'a payment behind a trial',
      [...paid(), subscription('subscription.activated', onTrial)],
      [['subscription_begun', true]],
    ],
    [
      'a trial',
      [subscription('subscription.created'), subscription('subscription.trial_started')],
      [['trial_begun', false]],
    ],
    [
      'a short trial, whose end is near already, by one letter',
      [subscription('subscription.trial_started'), subscription('subscription.trial_will_end')],
      [['trial_begun', false]],
    ],
    ['the end of a trial ahead', [subscription('subscription.trial_will_end')], [['trial_ending', false]]],
    ['a suspension', [subscription('subscription.suspended')], [['suspended', false]]],
    [
      'a payment that ends a suspension',
      [...paid({ cycle: 5 }), subscription('subscription.reactivated'), ...active],
      [['reactivated', true]],
    ],
    ['a suspension that is ended by hand, once it is paid', [subscription('subscription.reactivated')], []],
    ['a change to come', [subscription('subscription.change_scheduled')], [['plan_changed', false]]],
    ['a change at once', [subscription('subscription.changed')], [['plan_changed', false]]],
    ['a change of what has not begun', [subscription('subscription.changed', { current_period_start: null })], []],
    [
      'a change that was told when it was scheduled, no more',
      [
        subscription('subscription.changed'),
        subscription('subscription.period_started'),
        invoice('invoice.created', { cycle: 3 }),
      ],
      [],
    ],
    ['a change that is paid for', [...paid(change), subscription('subscription.changed')], [['plan_changed', true]]],
    [
      'a change of the interval that is free',
      [
        invoice('invoice.paid', change),
        subscription('subscription.changed'),
        subscription('subscription.period_started'),
      ],
      [['plan_changed', false]],
    ],
    ['an end to come', [subscription('subscription.cancel_scheduled', { cancel_at: NOW + 9 })], [['canceled', false]]],
    ['an end', [subscription('subscription.canceled', { ended: NOW })], [['canceled', false]]],
    [
      'an end that was told ahead, no more',
      [subscription('subscription.canceled', { cancel_at: NOW, ended: NOW })],
      [],
    ],
    [
      'an end before the one that was told',
      [subscription('subscription.canceled', { cancel_at: NOW + 9, ended: NOW })],
      [['canceled', false]],
    ],
    [
      'the end of what never began',
      [subscription('subscription.canceled', { current_period_start: null, ended: NOW })],
      [],
    ],
    [
      'the end of a trial that was cancelled',
      [subscription('subscription.canceled', { ...onTrial, current_period_start: null, ended: NOW })],
      [['canceled', false]],
    ],
    ['a dispute that begins', [dispute('dispute.created')], []],
    [
      'one that is lost at once, once',
      [dispute('dispute.created'), dispute('dispute.funds_withdrawn'), dispute('dispute.closed')],
      [['dispute_decided', false]],
    ],
    [
      'money that is back at the merchant',
      [dispute('dispute.updated'), dispute('dispute.funds_reinstated')],
      [['dispute_decided', false]],
    ],
    ['what is none of a buyer', [subscription('subscription.updated'), invoice('invoice.created', { cycle: 2 })], []],
  ])('%s', (_, recorded, expected) => {
    expect(told(recorded)).toEqual(expected);
  });

  test('several subscriptions of one transaction each by a letter of its own', () => {
    const other = { id: 'sub_2' };
    expect(told([subscription('subscription.suspended'), subscription('subscription.suspended', other)])).toEqual([
      ['suspended', false],
      ['suspended', false],
    ]);
  });
});
