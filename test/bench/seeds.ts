import type { Fatura } from '../../sdk/src/index.ts';

/** Enough customers and prices that no row is a hot spot. */
const SEEDS = 64;
/** A CPF with right check digits; several customers may share one. */
const CPF = '52998224725';

export interface Seeds {
  readonly customers: string[];
  readonly prices: string[];
}

/** Customers and one-time prices, made through the API. */
export async function plantSeeds(fatura: Fatura): Promise<Seeds> {
  const seeds: Seeds = { customers: [], prices: [] };
  for (let index = 0; index < SEEDS; index += 1) {
    const customer = await fatura.customers.create({
      name: `Maria da Silva ${index}`,
      identifier: CPF,
      email: `maria${index}@loja.test`,
    });
    const product = await fatura.products.create({ name: `Curso ${index}` });
    const price = await fatura.prices.create({ product_id: product.id, type: 'one_time', unit_amount: 9_990 + index });
    seeds.customers.push(customer.id);
    seeds.prices.push(price.id);
  }
  return seeds;
}
