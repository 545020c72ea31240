import { describe, expect, test } from 'vitest';
import { factsOf, outcomesOf, send, violationsOf } from '../requests.ts';
import { CatalogScene } from './catalog-scene.ts';

const scene = new CatalogScene();
const { post, patch } = scene;

describe('a product', () => {
  test('is answered whole, with and without its optional fields', async () => {
    const shop = await scene.api.newMerchant();
    const bare = await shop.fatura.products.create({ name: 'Plano Ouro' });
    expect(bare).toEqual({
      id: expect.stringMatching(/^prod_[0-9a-z]{26}$/),
      object: 'product',
      active: true,
      created: scene.api.clock.now(),
      live_mode: false,
      name: 'Plano Ouro',
      description: null,
      external_code: null,
    });
    const full = { name: 'Plano Prata', description: 'Acesso completo', active: false, external_code: 'prata' };
    const rich = await shop.fatura.products.create(full);
    expect(rich).toEqual({ ...bare, id: rich.id, ...full });
    expect(await shop.fatura.products.retrieve(rich.id)).toEqual(rich);
    expect(await factsOf(shop)).toEqual([
      { type: 'product.created', object: bare },
      { type: 'product.created', object: rich },
    ]);
  });

  test('changes in the fields sent: absent keeps, null clears, no change is no fact', async () => {
    const shop = await scene.api.newMerchant();
    const { products } = shop.fatura;
    const created = await products.create({
      name: 'Plano Ouro',
      description: 'Acesso completo',
      external_code: 'ouro',
    });
    const renamed = await products.update(created.id, { name: ' Plano Diamante ' });
    expect(renamed).toEqual({ ...created, name: 'Plano Diamante' });
    const cleared = await products.update(created.id, { description: null, external_code: null, active: false });
    expect(cleared).toEqual({ ...renamed, description: null, external_code: null, active: false });
    expect(await products.update(created.id, {})).toEqual(cleared);
    expect(await products.update(created.id, { name: 'Plano Diamante', active: false })).toEqual(cleared);
    expect(await factsOf(shop)).toEqual([
      { type: 'product.created', object: created },
      { type: 'product.updated', object: renamed },
      { type: 'product.updated', object: cleared },
    ]);
  });

  test('keeps its limits: all violations in one answer', async () => {
    const product = { description: 'x'.repeat(1_001), active: 'yes', external_code: '', colour: 'red' };
    expect(violationsOf(await post('/products', { product }))).toEqual([
      400,
      'product.name PARAMETER_MISSING',
      'product.description PARAMETER_INVALID',
      'product.active PARAMETER_INVALID',
      'product.external_code PARAMETER_INVALID',
      'product.colour PARAMETER_UNKNOWN',
    ]);
    const longest = { name: '🦜'.repeat(250), description: '🦜'.repeat(1_000) };
    expect(await scene.merchant.fatura.products.create(longest)).toMatchObject(longest);
    expect(violationsOf(await post('/products', { product: { name: `${longest.name}x` } }))).toEqual([
      400,
      'product.name PARAMETER_INVALID',
    ]);
    expect(
      violationsOf(await patch(`/products/${scene.productId}`, { product: { name: null, active: null } })),
    ).toEqual([400, 'product.name PARAMETER_INVALID', 'product.active PARAMETER_INVALID']);
  });

  test('has its external_code alone in account and mode', async () => {
    const shop = await scene.api.newMerchant();
    const holder = await shop.fatura.products.create({ name: 'Plano Ouro', external_code: 'ouro' });
    const other = await shop.fatura.products.create({ name: 'Plano Prata' });
    const taken = {
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      wireParam: 'product.external_code',
      message: `product.external_code "ouro" is taken by ${holder.id}`,
    };
    await expect(shop.fatura.products.create({ name: 'Plano Ouro', external_code: 'ouro' })).rejects.toMatchObject(
      taken,
    );
    await expect(shop.fatura.products.update(other.id, { external_code: 'ouro' })).rejects.toMatchObject(taken);
    expect(await shop.live.products.create({ name: 'Plano Ouro', external_code: 'ouro' })).toMatchObject({
      live_mode: true,
    });
    await shop.fatura.products.update(holder.id, { external_code: null });
    expect(await shop.fatura.products.update(other.id, { external_code: 'ouro' })).toMatchObject({
      external_code: 'ouro',
    });
  });

  test('wins its external_code among 50 at once, and the others learn of it', async () => {
    const shop = await scene.api.newMerchant();
    const { done, refused } = await outcomesOf(
      Array.from({ length: 50 }, (_, i) => shop.fatura.products.create({ name: `Plano ${i}`, external_code: 'ouro' })),
    );
    expect(done).toHaveLength(1);
    expect(refused).toHaveLength(49);
    const message = `product.external_code "ouro" is taken by ${done[0]?.id}`;
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
    expect(await factsOf(shop)).toEqual([{ type: 'product.created', object: done[0] }]);
  });

  test('is found by active and external_code', async () => {
    const shop = await scene.api.newMerchant();
    const on = await shop.fatura.products.create({ name: 'Plano Ouro', external_code: 'ouro' });
    const off = await shop.fatura.products.create({ name: 'Plano Prata', active: false });
    const ids = async (filter: { active?: boolean; external_code?: string }) =>
      (await shop.fatura.products.list(filter).all({ max: 10 })).map(({ id }) => id);
    expect(await ids({})).toEqual([off.id, on.id]);
    expect(await ids({ active: true })).toEqual([on.id]);
    expect(await ids({ active: false })).toEqual([off.id]);
    expect(await ids({ external_code: ' ouro ' })).toEqual([on.id]);
    expect(await ids({ external_code: 'ouro', active: false })).toEqual([]);
    const answer = await send(scene.api, { method: 'GET', path: '/products?active=yes', key: shop.sandboxKey });
    expect(violationsOf(answer)).toEqual([400, 'active PARAMETER_INVALID']);
  });
});
