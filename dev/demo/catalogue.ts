import type { Fatura, PriceCreate } from '@fatura/sdk';

/** What the shop sells once: name, price in cents, most installments, and how often of 100 sales. */
const GOODS = [
  { name: 'Caneca artesanal', amount: 4_990, installments: 1, share: 34 },
  { name: 'Vaso de barro', amount: 12_900, installments: 3, share: 24 },
  { name: 'Jogo de pratos', amount: 34_900, installments: 6, share: 16 },
  { name: 'Oficina de sábado', amount: 18_000, installments: 2, share: 16 },
  { name: 'Curso de cerâmica', amount: 89_900, installments: 12, share: 10 },
] as const;

/** What it sells again and again, and how often of 100 subscriptions. */
const PLANS = [
  { name: 'Clube Aurora', amount: 8_990, interval: 'month', count: 1, share: 55 },
  { name: 'Cesta da semana', amount: 2_490, interval: 'week', count: 1, share: 15 },
  { name: 'Ateliê aberto trimestral', amount: 24_900, interval: 'month', count: 3, share: 18 },
  { name: 'Clube Aurora anual', amount: 89_900, interval: 'month', count: 12, share: 12 },
] as const;

export interface Good {
  readonly price: string;
  readonly amount: number;
  readonly installments: number;
  readonly share: number;
}

export interface Plan {
  readonly price: string;
  readonly share: number;
}

export interface Catalogue {
  readonly goods: readonly Good[];
  readonly plans: readonly Plan[];
  readonly weekly: Plan;
}

/** Makes the products and prices of the shop, and one that is not sold any more. */
export async function makeCatalogue({ products, prices }: Fatura): Promise<Catalogue> {
  const priceOf = async (name: string, price: object): Promise<string> => {
    const { id: product_id } = await products.create({ name });
    const made = await prices.create({ ...price, product_id } as PriceCreate); // each row has what its kind needs
    return made.id;
  };
  const goods: Good[] = [];
  for (const { name, amount, installments, share } of GOODS) {
    const more = installments > 1 ? { card_installments_enabled: true, max_card_installments: installments } : {};
    goods.push({
      price: await priceOf(name, { unit_amount: amount, type: 'one_time', ...more }),
      amount,
      installments,
      share,
    });
  }
  const plans: Plan[] = [];
  for (const { name, amount, interval, count, share } of PLANS) {
    const recurring = { interval, interval_count: count };
    plans.push({
      price: await priceOf(name, { unit_amount: amount, type: 'recurring', recurring, description: name }),
      share,
    });
  }
  const old = await priceOf('Calendário do ano passado', { unit_amount: 3_990, type: 'one_time' });
  await prices.update(old, { active: false });
  const weekly = plans[PLANS.findIndex(({ interval }) => interval === 'week')];
  if (weekly === undefined) throw new Error('the shop has no weekly plan');
  return { goods, plans, weekly };
}
