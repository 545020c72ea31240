import { describe, expect, test } from 'vitest';
import { factsOf, outcomesOf, refusalOf } from '../requests.ts';
import { CatalogScene } from './catalog-scene.ts';

const scene = new CatalogScene();
const { post, oneTime, monthly } = scene;

describe('a price created again under its external_code', () => {
  const again = async (first: object, second: object) => {
    const created = await post('/prices', { price: first });
    expect(created.status).toBe(201);
    return { created, repeated: await post('/prices', { price: second }) };
  };

  test.each<[string, object, object]>([
    ['word for word', {}, {}],
    [
      'with the defaults spelt out',
      {},
      { description: null, active: true, card_installments_enabled: false, max_card_installments: 12 },
    ],
    ['with blanks around text', { description: 'Mensal' }, { description: ' Mensal ' }],
  ])('%s answers 200 and the existing price, and is no fact', async (name, first, second) => {
    const external_code = `again ${name}`;
    const { created, repeated } = await again(
      { ...oneTime(), external_code, ...first },
      { ...oneTime(), external_code, ...second },
    );
    const factsBefore = await factsOf(scene.merchant);
    expect(repeated).toMatchObject({ status: 200, body: created.body });
    expect((await post('/prices', { price: { ...oneTime(), external_code, ...second } })).status).toBe(200);
    expect(await factsOf(scene.merchant)).toEqual(factsBefore);
  });

  test('with the interval count spelt out answers the existing price', async () => {
    const price = { ...monthly(), external_code: 'monthly' };
    const { created, repeated } = await again(price, { ...price, recurring: { interval: 'month', interval_count: 1 } });
    expect(repeated).toMatchObject({ status: 200, body: created.body });
  });

  test('answers the price as it is by now, also when it was changed since', async () => {
    const price = oneTime({ external_code: 'changed', description: 'Mensal' });
    const { id } = await scene.merchant.fatura.prices.create(price);
    const changed = await scene.merchant.fatura.prices.update(id, { description: 'Anual', active: false });
    expect(await scene.merchant.fatura.prices.create(price)).toEqual(changed);
    await expect(
      scene.merchant.fatura.prices.create({ ...price, description: 'Anual', active: false }),
    ).rejects.toMatchObject({
      code: 'EXTERNAL_CODE_TAKEN',
    });
  });

  test.each<[string, object]>([
    ['amount', { unit_amount: 9991 }],
    ['type', { type: 'recurring', recurring: { interval: 'month' } }],
    ['description', { description: 'Mensal' }],
    ['activity', { active: false }],
    ['installments', { card_installments_enabled: true }],
    ['maximum of installments', { max_card_installments: 6 }],
  ])('with another %s is refused', async (name, difference) => {
    const external_code = `other ${name}`;
    const { created, repeated } = await again(
      { ...oneTime(), external_code },
      { ...oneTime(), external_code, ...difference },
    );
    const { id } = created.body as { id: string };
    expect(refusalOf(repeated)).toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      param: 'price.external_code',
      message: `price.external_code "${external_code}" is taken by ${id}`,
    });
  });

  test('for another product is refused, for an unknown one missing', async () => {
    const other = await scene.merchant.fatura.products.create({ name: 'Plano Prata' });
    const price = oneTime({ external_code: 'product' });
    await scene.merchant.fatura.prices.create(price);
    await expect(scene.merchant.fatura.prices.create({ ...price, product_id: other.id })).rejects.toMatchObject({
      code: 'EXTERNAL_CODE_TAKEN',
    });
    await expect(
      scene.merchant.fatura.prices.create({ ...price, product_id: 'prod_00000000000000000000000000' }),
    ).rejects.toMatchObject({
      code: 'RESOURCE_MISSING',
    });
  });

  test('is another price in live mode, and a new one once the code is free', async () => {
    const price = oneTime({ external_code: 'free' });
    const { id } = await scene.merchant.fatura.prices.create(price);
    const live = await scene.merchant.live.products.create({ name: 'Plano Ouro' });
    expect(await scene.merchant.live.prices.create({ ...price, product_id: live.id })).toMatchObject({
      live_mode: true,
    });
    await scene.merchant.fatura.prices.update(id, { external_code: null });
    expect((await scene.merchant.fatura.prices.create(price)).id).not.toBe(id);
  });

  test('50 times at once with one body is one price, answered to all', async () => {
    const factsBefore = await factsOf(scene.merchant);
    const price = oneTime({ external_code: 'fifty alike' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/prices', { price })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    const [first] = answers;
    for (const { body } of answers) expect(body).toEqual(first?.body);
    expect(await factsOf(scene.merchant)).toEqual([...factsBefore, { type: 'price.created', object: first?.body }]);
  });

  test('50 times at once with different bodies is one price, and 49 refusals that name it', async () => {
    const { done, refused } = await outcomesOf(
      Array.from({ length: 50 }, (_, i) =>
        scene.merchant.fatura.prices.create(oneTime({ external_code: 'fifty', unit_amount: i })),
      ),
    );
    expect(done).toHaveLength(1);
    expect(refused).toHaveLength(49);
    const message = `price.external_code "fifty" is taken by ${done[0]?.id}`;
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
  });
});
