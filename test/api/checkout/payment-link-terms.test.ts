import { describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { redeemTyped } from '../../../server/checkout/typed-code.ts';
import { unique } from '../../support/factories.ts';
import { send, violationsOf } from '../requests.ts';
import { LinkScene } from './link-scene.ts';
import { buyer, cardOf, pathOf } from './page-scene.ts';

const scene = new LinkScene();
const DAY = 86_400;

const patch = (id: string, payment_link: unknown) =>
  send(scene.api, {
    method: 'PATCH',
    path: `/payment_links/${id}`,
    key: scene.merchant.sandboxKey,
    body: { payment_link },
  });
const post = (payment_link: object) =>
  send(scene.api, { method: 'POST', path: '/payment_links', key: scene.merchant.sandboxKey, body: { payment_link } });

const pathTo = ({ url }: { url: string | null }): string => pathOf({ url: url ?? '' });

const lateFees = { fine_percentage: 2, interest_percentage: 1, grace_days: 5, collect: 'at_payment' } as const;
const minimumTerm = { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 } as const;

describe('a payment link', () => {
  test('hands its terms, codes and metadata on to each session that it opens', async () => {
    const link = await scene.newLink({
      recurring: true,
      subscription: { trial: { days: 14 }, minimum_term: minimumTerm, late_fees: lateFees },
      allow_promotion_codes: true,
      metadata: [{ campaign: 'verão' }],
    });
    expect(link).toMatchObject({
      mode: 'subscription',
      allow_promotion_codes: true,
      metadata: [{ campaign: 'verão' }],
      subscription_terms: {
        trial: { days: 14, requires_payment_method: true, end_behavior: 'invoice' },
        minimum_term: minimumTerm,
        late_fees: lateFees,
      },
    });
    const session = await scene.openSession(link);
    expect(session).toMatchObject({ allow_promotion_codes: true, metadata: [{ campaign: 'verão' }] });
    const filled = await scene.send(`${pathTo(session)}/buyer`, { body: buyer });
    const dueAt = scene.api.clock.now() + 14 * DAY;
    expect(filled.purchase).toMatchObject({ standing: 'card_needed', cardFor: 'trial', dueAt });
    await scene.send(`${pathTo(session)}/card`, { body: cardOf() });
    const { subscription, status } = await scene.session(session.id);
    expect(status).toBe('complete');
    expect(await scene.merchant.fatura.subscriptions.retrieve(subscription ?? '')).toMatchObject({
      ...{ status: 'trialing', trial_end: dueAt },
      minimum_term: { penalty_type: 'remaining_percentage', penalty_value: 20 },
      late_fees: lateFees,
    });
    expect(await scene.counts(link.id)).toEqual([1, 0]);
  });

  test('begins a trial without a card where it asks for none', async () => {
    const trial = { days: 7, requires_payment_method: false, end_behavior: 'cancel' } as const;
    const link = await scene.newLink({ recurring: true, subscription: { trial } });
    const session = await scene.openSession(link);
    await scene.send(`${pathTo(session)}/buyer`, { body: buyer });
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', invoice: null });
    expect(await scene.counts(link.id)).toEqual([1, 0]);
  });

  test('lets its buyers type a code, which is counted once it is paid', async () => {
    const { fatura } = scene.merchant;
    const { id: coupon_id } = await fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10 });
    const code = await fatura.promotionCodes.create({ coupon_id, code: `L-${unique()}` });
    const link = await scene.newLink({ amount: 10_000, allow_promotion_codes: true });
    const session = await scene.openSession(link);
    await scene.send(`${pathTo(session)}/buyer`, { body: buyer });
    const { accountId } = scene.merchant;
    const scope = await readScope(scene.deps.pool, { accountId, liveMode: false });
    await redeemTyped(scene.deps, scope, { id: session.id, text: code.code });
    const { amount, invoice } = await scene.session(session.id);
    expect(amount).toBe(9_000);
    await scene.payByCard(invoice ?? '');
    expect(await fatura.promotionCodes.retrieve(code.id)).toMatchObject({ times_redeemed: 1 });
  });

  test('changes codes and metadata for who opens it next, and its terms for nobody', async () => {
    const link = await scene.newLink({ metadata: [{ campaign: 'verão' }] });
    const before = await scene.openSession(link);
    await scene.merchant.fatura.paymentLinks.update(link.id, { allow_promotion_codes: true, metadata: [] });
    const after = await scene.openSession(link);
    expect([before.allow_promotion_codes, before.metadata]).toEqual([false, [{ campaign: 'verão' }]]);
    expect([after.allow_promotion_codes, after.metadata]).toEqual([true, []]);
    expect((await scene.session(before.id)).metadata).toEqual([{ campaign: 'verão' }]);
    expect(violationsOf(await patch(link.id, { subscription: { trial: { days: 1 } } }))).toEqual([
      400,
      'payment_link.subscription PARAMETER_UNKNOWN',
    ]);
  });

  test('tells who looks at it how many days are free', async () => {
    const link = await scene.newLink({ recurring: true, subscription: { trial: { days: 14 } } });
    const { text } = await scene.open(link, { headers: { 'Sec-Fetch-Mode': 'no-cors' } });
    expect(text).toContain('Os primeiros 14 dias são grátis.');
    expect(text).not.toContain('Sessão');
  });

  test.each([
    [{ trial: { days: 0 } }, 'payment_link.subscription.trial.days PARAMETER_INVALID'],
    [{ trial: { days: 731 } }, 'payment_link.subscription.trial.days PARAMETER_INVALID'],
    [{ trial: {} }, 'payment_link.subscription.trial.days PARAMETER_MISSING'],
    [{ trial: { days: 1, end: 1_900_000_000 } }, 'payment_link.subscription.trial.end PARAMETER_UNKNOWN'],
    [{ start_date: 1_900_000_000 }, 'payment_link.subscription.start_date PARAMETER_UNKNOWN'],
    [
      { minimum_term: { ...minimumTerm, cycles: 37 } },
      'payment_link.subscription.minimum_term.cycles PARAMETER_INVALID',
    ],
    [{ trial: { days: 14 } }, 'payment_link.subscription PARAMETER_INVALID'],
  ])('of an amount refuses the terms %j and names the field', async (subscription, violation) => {
    expect(violationsOf(await post({ amount: 7_500, description: 'Aula avulsa', subscription }))).toEqual([
      400,
      violation,
    ]);
  });

  test('of prices that do not recur has no terms, as an amount has none', async () => {
    const refused = scene.newLink({ subscription: { trial: { days: 14 } } });
    await expect(refused).rejects.toMatchObject({ code: 'PARAMETER_INVALID', param: 'subscription' });
  });

  test('asks no more of who pays late than the law lets it', async () => {
    const refused = scene.newLink({
      recurring: true,
      subscription: { late_fees: { ...lateFees, fine_percentage: 3 } },
    });
    await expect(refused).rejects.toMatchObject({
      code: 'LATE_FEES_ABOVE_LIMIT',
      param: 'subscription.late_fees.fine_percentage',
    });
  });
});
