import { z } from 'zod';
import {
  actingLink,
  amount,
  currency,
  DESCRIPTION_MAX,
  evenWhenInvalid,
  exampleId,
  externalCode,
  externalCodeFilter,
  externalCodeOrNull,
  field,
  listOf,
  liveMode,
  meta,
  NAME_MAX,
  named,
  objectName,
  pageQuery,
  pathId,
  queryFlag,
  timestamp,
  typeId,
} from './kernel.ts';
import { checkRecurrence, Recurring, RecurringCreate, recurringByType } from './recurrence.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { paragraph, text } from './texts.ts';

/** Highest price: R$ 9.999,99 (docs/product/catalog.md#prices). */
export const UNIT_AMOUNT_MAX = 999_999;
/** Most installments of any charge (docs/product/catalog.md#installments). */
export const INSTALLMENTS_MAX = 12;

export const Product = z
  .object({
    id: typeId('prod', 'Identifier of the product.'),
    object: objectName('product'),
    active: field(z.boolean(), 'Whether the product can be bought.', true),
    created: timestamp('When the product was created.'),
    live_mode: liveMode,
    name: field(z.string(), 'Name of the product.', 'Plano Ouro'),
    description: field(z.string().nullable(), 'Description; null when it has none.', 'Acesso completo'),
    external_code: externalCodeOrNull,
  })
  .meta({ id: 'Product', description: 'What a merchant sells.' });

export type Product = z.output<typeof Product>;

const productName = field(text({ max: NAME_MAX }), 'Name of the product: 1 to 250 characters.', 'Plano Ouro');
const description = (what: string, example: string) =>
  field(paragraph({ max: DESCRIPTION_MAX }), `${what}: up to 1,000 characters.`, example);
const productDescription = description('Description of the product', 'Acesso completo');
const productActive = field(z.boolean(), 'Whether the product can be bought; default true.', true);

export const ProductCreate = z
  .strictObject({
    name: productName,
    description: productDescription.nullable().optional(),
    active: productActive.optional(),
    external_code: externalCode.nullable().optional(),
  })
  .meta({ id: 'ProductCreate', description: 'A new product.' });

export type ProductCreate = z.output<typeof ProductCreate>;

export const ProductUpdate = z
  .strictObject({
    name: productName.optional(),
    description: productDescription.nullable().optional(),
    active: productActive.optional(),
    external_code: externalCode.nullable().optional(),
  })
  .meta({ id: 'ProductUpdate', description: 'Changes of a product: an absent field keeps, null clears.' });

export type ProductUpdate = z.output<typeof ProductUpdate>;

const PriceType = named('PriceType', ['one_time', 'recurring'], 'Charged once, or again each period.');

const installmentCount = z.int().min(1).max(INSTALLMENTS_MAX);

export const Price = z
  .object({
    id: typeId('price', 'Identifier of the price.'),
    object: objectName('price'),
    active: field(z.boolean(), 'Whether the price can be used for new purchases.', true),
    live_mode: liveMode,
    created: timestamp('When the price was created.'),
    currency,
    product: typeId('prod', 'The product sold at this price.'),
    type: field(PriceType, 'Charged once, or again each period.', 'one_time'),
    unit_amount: amount('Price of one unit, 0 to 999999.'),
    unit_amount_decimal: field(z.string(), 'The amount in cents as a string.', '9990'),
    recurring: field(Recurring.optional(), 'The recurrence; only on recurring prices.', {
      interval: 'month',
      interval_count: 1,
    }),
    description: field(z.string().nullable(), 'Friendly name; null when it has none.', 'Mensal'),
    external_code: externalCodeOrNull,
    card_installments_enabled: field(z.boolean(), 'Whether card installments are allowed, as set.', false),
    max_card_installments: field(installmentCount, 'Most card installments, as set: 1 to 12.', 12),
    effective_max_card_installments: field(
      installmentCount,
      'Most installments after all rules: enabled, recurrence, R$ 5,00 each, at most 12.',
      1,
    ),
    installment_selection_available: field(z.boolean(), 'Whether a buyer can choose more than one installment.', false),
    payment_url: actingLink(
      'A page of its own that sells one of it to whoever opens it, as long as the price and its product are active.',
      `https://pay.example.com/buy/${exampleId('price')}/mBTkSLoiyx2rrB_rmlYT7d5Q1hQ8xxMqvUv8YhEAL1I`,
    ),
  })
  .meta({ id: 'Price', description: 'What a product costs: once, or each period.' });

export type Price = z.output<typeof Price>;

const priceDescription = description('Friendly name of the price', 'Mensal');
const priceActive = field(z.boolean(), 'Whether the price can be used for new purchases; default true.', true);
const installmentsEnabled = field(z.boolean(), 'Whether card installments are allowed; default false.', true);
const maxInstallments = field(installmentCount, 'Most card installments: 1 to 12, default 12.', 6);

export const PriceCreate = z
  .strictObject({
    product_id: typeId('prod', 'The product sold at this price.'),
    unit_amount: field(z.int().min(0).max(UNIT_AMOUNT_MAX), 'Price of one unit. Integer cents, 0 to 999999.', 9990),
    type: field(PriceType, 'Charged once, or again each period.', 'one_time'),
    recurring: field(RecurringCreate.optional(), 'The recurrence: required for `recurring`, refused for `one_time`.', {
      interval: 'month',
      interval_count: 1,
    }),
    description: priceDescription.nullable().optional(),
    external_code: externalCode.nullable().optional(),
    active: priceActive.optional(),
    card_installments_enabled: installmentsEnabled.optional(),
    max_card_installments: maxInstallments.optional(),
  })
  .superRefine(checkRecurrence, evenWhenInvalid)
  .meta({
    id: 'PriceCreate',
    description: 'A new price.',
    ...recurringByType,
  });

export type PriceCreate = z.output<typeof PriceCreate>;

export const PriceUpdate = z
  .strictObject({
    active: priceActive.optional(),
    description: priceDescription.nullable().optional(),
    external_code: externalCode.nullable().optional(),
    card_installments_enabled: installmentsEnabled.optional(),
    max_card_installments: maxInstallments.optional(),
  })
  .meta({
    id: 'PriceUpdate',
    description: 'Changes of a price: an absent field keeps, null clears. Amount, type and recurrence never change.',
  });

export type PriceUpdate = z.output<typeof PriceUpdate>;

const ProductBody = z
  .strictObject({ product: ProductCreate })
  .meta({ id: 'ProductCreateBody', description: 'A new product.' });
const ProductPatch = z
  .strictObject({ product: ProductUpdate })
  .meta({ id: 'ProductUpdateBody', description: 'Changes of a product.' });
const PriceBody = z.strictObject({ price: PriceCreate }).meta({ id: 'PriceCreateBody', description: 'A new price.' });
const PricePatch = z
  .strictObject({ price: PriceUpdate })
  .meta({ id: 'PriceUpdateBody', description: 'Changes of a price.' });

const withExternalCode = externalCodeFilter('Only the object with this external_code.');

export const ProductListQuery = z.strictObject({
  ...pageQuery('prod'),
  active: queryFlag('Only active, or only inactive products.'),
  external_code: withExternalCode,
});

export const PriceListQuery = z.strictObject({
  ...pageQuery('price'),
  active: queryFlag('Only active, or only inactive prices.'),
  product_id: typeId('prod', 'Only prices of this product.').optional(),
  type: field(PriceType.optional(), 'Only prices of this type.', 'recurring'),
  external_code: withExternalCode,
});

export const products = c.router(
  {
    create: {
      method: 'POST',
      path: '/products',
      summary: 'Create a product',
      body: ProductBody,
      responses: { 201: Product, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/products/:product_id',
      pathParams: pathId('product', 'prod'),
      summary: 'Retrieve a product',
      responses: { 200: Product, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'prod' }),
    },
    list: {
      method: 'GET',
      path: '/products',
      summary: 'List products',
      query: ProductListQuery,
      responses: { 200: listOf(Product, { id: 'ProductList', url: '/api/v1/products' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/products/:product_id',
      pathParams: pathId('product', 'prod'),
      summary: 'Update a product',
      body: ProductPatch,
      responses: { 200: Product, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'prod' }),
    },
  },
  routerOptions,
);

export const prices = c.router(
  {
    create: {
      method: 'POST',
      path: '/prices',
      summary: 'Create a price',
      description:
        'With an `external_code` in use: the same body answers 200 and the existing price, another 409 EXTERNAL_CODE_TAKEN.',
      body: PriceBody,
      responses: { 201: Price, 200: Price, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/prices/:price_id',
      pathParams: pathId('price', 'price'),
      summary: 'Retrieve a price',
      responses: { 200: Price, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'price' }),
    },
    list: {
      method: 'GET',
      path: '/prices',
      summary: 'List prices',
      query: PriceListQuery,
      responses: { 200: listOf(Price, { id: 'PriceList', url: '/api/v1/prices' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/prices/:price_id',
      pathParams: pathId('price', 'price'),
      summary: 'Update a price',
      body: PricePatch,
      responses: { 200: Price, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'price' }),
    },
  },
  routerOptions,
);
