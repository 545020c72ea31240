import { z } from 'zod';
import { type Control, startControl } from '../fakes/control.ts';
import { button, escaped, instant, newest, page, row, table } from '../fakes/page.ts';
import { Refused } from './answer.ts';
import type { Charge, Merchant } from './books.ts';
import type { FakePagarme, Trouble } from './pagarme.ts';

const Ended = z.strictObject({ approved: z.boolean().default(true) });
const Taken = z.strictObject({ amount: z.int().min(1).optional() });
const Made = z.strictObject({ made: z.boolean().default(true) });
const Hook = z.strictObject({ url: z.url().nullable() });
const Domain = z.strictObject({ domain: z.string().min(1).max(253) });

/** The books without what only a machine needs. */
const booksOf = ({ orders, charges, customers, cards, hooks, hookUrl, domains }: Merchant) => ({
  hook: hookUrl,
  domains: [...domains],
  customers: [...customers.values()],
  cards: [...cards.values()],
  orders: [...orders.values()],
  charges: [...charges.values()],
  hooks,
});

const reais = (cents: number): string => (cents / 100).toFixed(2);

function chargeRow({ id, code, amount, status, createdMs, transactions }: Charge): string {
  const refunds = transactions.filter(({ operation }) => operation !== 'auth_and_capture');
  const pending = refunds.filter((one) => one.status === 'pending_refund');
  const buttons = [
    ...(status === 'processing'
      ? [
          button('approve', `/charges/${id}/end`, { approved: true }),
          button('decline', `/charges/${id}/end`, { approved: false }),
        ]
      : []),
    ...(status === 'paid' ? [button('chargeback', `/charges/${id}/chargeback`, {})] : []),
    ...pending.map((one) => button('settle the refund', `/refunds/${one.id}/settle`, { made: true })),
  ];
  return row([
    `<code>${escaped(code)}</code>`,
    reais(amount),
    status,
    instant(createdMs),
    refunds.map((one) => `${reais(one.amount)} ${one.operation} ${one.status}`).join('<br>'),
    buttons.join(''),
  ]);
}

function controlPage(merchant: Merchant, troubles: readonly Trouble[]): string {
  const trouble = (label: string, body: Trouble) => button(label, '/troubles', body);
  const charges = newest([...merchant.charges.values()]).map(chargeRow);
  const hooks = newest(merchant.hooks).map(({ type, url, answers }) => row([type, escaped(url), answers.join(', ')]));
  return page(
    'Fake Pagar.me',
    `<h2>Charges</h2>${table(['code', 'amount', 'status', 'at (UTC)', 'money back', ''], charges)}
<h2>Webhooks</h2><p>${escaped(merchant.hookUrl ?? 'no address is registered')}</p>${table(['type', 'to', 'answers'], hooks)}
<h2>Troubles</h2><p>${escaped(troubles.map((each) => JSON.stringify(each)).join(' ')) || 'none'}</p>
${trouble('lose the next answer', { kind: 'answer_lost', next: 1 })}
${trouble('lose the next 3 requests', { kind: 'request_lost', next: 3 })}
${trouble('500 after the work, next', { kind: 'fault', next: 1 })}
${trouble('503 for the next 3', { kind: 'unavailable', next: 3 })}
${trouble('401', { kind: 'unauthorized' })}
${trouble('next charge stays at the acquirer', { kind: 'stays_processing', next: 1 })}
${trouble('next refund stays pending', { kind: 'refund_stays', next: 1 })}
${trouble('no webhooks', { kind: 'hook_none' })}
${trouble('next webhook by an unknown key', { kind: 'hook_unknown_key', next: 1 })}
${button('no more troubles', '/troubles', {}, 'DELETE')}`,
  );
}

const actsOf = (fake: FakePagarme, merchant: Merchant): Control<Trouble>['acts'] => ({
  '/charges/:id/end': (id, body) => void fake.settleCharge(merchant, id, Ended.parse(body).approved),
  '/charges/:id/chargeback': (id, body) => void fake.chargeback(merchant, id, Taken.parse(body).amount),
  '/refunds/:id/settle': (id, body) => void fake.settleRefund(merchant, id, Made.parse(body).made),
  '/cards/:id/expire': (id) => void fake.expireCard(merchant, id),
  '/hook': (_, body) => {
    merchant.hookUrl = Hook.parse(body).url;
  },
  '/domains': (_, body) => void merchant.domains.add(Domain.parse(body).domain),
});

/** Of Pagar.me's one merchant. */
export const controlPagarme = (fake: FakePagarme, merchant: Merchant, port: number): Promise<string> =>
  startControl<Trouble>(
    {
      troubles: fake.troubles,
      books: () => booksOf(merchant),
      page: () => controlPage(merchant, fake.troubles.list()),
      docs: 'docs/design/fake-pagarme.md#by-hand',
      statusOf: (error) => (error instanceof Refused ? error.answer.status : undefined),
      acts: actsOf(fake, merchant),
    },
    port,
  );
