import { z } from 'zod';
import {
  exampleId,
  externalCode,
  externalCodeFilter,
  externalCodeOrNull,
  field,
  idsFilter,
  listOf,
  liveMode,
  meta,
  NAME_MAX,
  named,
  objectName,
  pageQuery,
  pathId,
  SEARCH_MAX,
  SEARCH_MIN,
  timestamp,
  typeId,
} from './kernel.ts';
import { Note, NoteCreate, NoteListQuery } from './notes.ts';
import { PortalLink, PortalLinkInput } from './portal.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { emailAddress, ofForm, postalCode, state, text } from './texts.ts';

const ADDRESS_FIELD_MAX = 255;

const addressFields = {
  zip_code: ['Postal code (CEP): its 8 digits.', '01310100'],
  street: ['Street.', 'Avenida Paulista'],
  number: ['Number.', '1578'],
  district: ['District (bairro).', 'Bela Vista'],
  city: ['City.', 'São Paulo'],
  state: ['State (UF).', 'SP'],
  complement: ['Complement.', 'Sala 4'],
} as const;

type AddressField = keyof typeof addressFields;

function addressShape<T extends z.ZodType>(schema: T): { [K in AddressField]: T } {
  const entries = Object.entries(addressFields).map(([name, [meaning, example]]) => [
    name,
    field(schema, meaning, example),
  ]);
  // Object.fromEntries widens the keys; they are those of addressFields.
  return Object.fromEntries(entries) as { [K in AddressField]: T };
}

export const Address = z
  .object(addressShape(z.string().nullable()))
  .meta({ id: 'Address', description: 'A Brazilian postal address.' });

export const AddressInput = z
  .strictObject({
    ...addressShape(text({ max: ADDRESS_FIELD_MAX }).nullable().optional()),
    zip_code: field(postalCode, 'Postal code (CEP): 8 digits, an optional hyphen among them.', '01310-100')
      .nullable()
      .optional(),
    state: field(state, 'State (UF): two upper-case letters.', 'SP').nullable().optional(),
  })
  .meta({ id: 'AddressInput', description: 'A Brazilian postal address; each field up to 255 characters.' });

const exampleAddress = {
  zip_code: '01310100',
  street: 'Avenida Paulista',
  number: '1578',
  district: 'Bela Vista',
  city: 'São Paulo',
  state: 'SP',
  complement: null,
};

const CustomerDescription = named(
  'CustomerDescription',
  ['individual', 'business'],
  'Whether a customer is a person or a company.',
);

export const Customer = z
  .object({
    id: typeId('cus', 'Identifier of the customer.'),
    object: objectName('customer'),
    live_mode: liveMode,
    created: timestamp('When the customer was created.'),
    name: field(z.string(), 'Name; `Anonimizado` once anonymized.', 'Maria da Silva'),
    external_code: externalCodeOrNull,
    identifier: field(z.string().nullable(), 'CPF or CNPJ without punctuation; null once anonymized.', '52998224725'),
    email: field(z.string().nullable(), 'E-mail address; null once anonymized.', 'maria@example.com'),
    phone: field(z.string().nullable(), 'Phone in E.164 form; null when unknown.', '+5511987654321'),
    description: field(
      CustomerDescription.nullable(),
      '`individual` with a CPF, `business` with a CNPJ; null once anonymized.',
      'individual',
    ),
    address: field(Address.nullable(), 'Postal address; null when unknown.', exampleAddress),
    unsubscribed_at: field(
      z.int().nullable(),
      'Since when the buyer wants no e-mail that is not about money owed or moved. Unix time, seconds; null when they do.',
      null,
    ),
    credit_balance: field(
      z.int().min(0).optional(),
      'Only in the answer of its retrieval: what is left of the credits that whichever of its subscriptions is billed next uses. Integer cents.',
      0,
    ),
    trials: field(
      z.array(typeId('prod', 'A product.')).optional(),
      'Only in the answer of its retrieval: the products that it had on trial, also where the trial is over.',
      [exampleId('prod')],
    ),
  })
  .meta({ id: 'Customer', description: 'Who is charged.' });

export type Customer = z.output<typeof Customer>;

const name = field(text({ max: NAME_MAX }), 'Name: 1 to 250 characters.', 'Maria da Silva');
const identifier = field(
  ofForm(text({ max: 32 }), 'tax_id'),
  'CPF (11 digits) or CNPJ (14 characters, letters allowed), with or without punctuation; check digits must be right.',
  '529.982.247-25',
);
const email = field(emailAddress, 'E-mail address: up to 254 characters.', 'maria@example.com');
const phone = field(
  ofForm(text({ max: 32 }), 'phone'),
  'Phone in E.164 form. Without `+` or `00` it is a Brazilian number with its area code, and gets +55.',
  '(11) 98765-4321',
);
const address = field(AddressInput, 'Postal address.', exampleAddress);

export const CustomerCreate = z
  .strictObject({
    name,
    identifier,
    email,
    phone: phone.nullable().optional(),
    external_code: externalCode.nullable().optional(),
    address: address.nullable().optional(),
  })
  .meta({ id: 'CustomerCreate', description: 'A new customer.' });

export type CustomerCreate = z.output<typeof CustomerCreate>;

export const CustomerUpdate = z
  .strictObject({
    name: name.optional(),
    identifier: identifier.optional(),
    email: email.optional(),
    phone: phone.nullable().optional(),
    external_code: externalCode.nullable().optional(),
    address: address.nullable().optional(),
  })
  .meta({
    id: 'CustomerUpdate',
    description: 'Changes of a customer: an absent field keeps, null clears. An address is replaced whole.',
  });

export type CustomerUpdate = z.output<typeof CustomerUpdate>;

const CreateBody = z
  .strictObject({ customer: CustomerCreate })
  .meta({ id: 'CustomerCreateBody', description: 'A new customer.' });
const UpdateBody = z
  .strictObject({ customer: CustomerUpdate })
  .meta({ id: 'CustomerUpdateBody', description: 'Changes of a customer.' });

export const CustomerListQuery = z.strictObject({
  ...pageQuery('cus'),
  ids: idsFilter('cus', 'customers'),
  query: field(
    text({ min: SEARCH_MIN, max: SEARCH_MAX }).optional(),
    'Only customers with all these words in name and e-mail, or whose CPF, CNPJ or phone begins so: 3 to 200 characters. Case and accents do not count; of a word its first 3 letters are enough, of a number 6 digits.',
    'maria sil',
  ),
  email: field(emailAddress.optional(), 'Only customers with this e-mail address.', 'maria@example.com'),
  identifier: field(
    ofForm(text({ max: 32 }), 'tax_id').optional(),
    'Only customers with this CPF or CNPJ, punctuation ignored.',
    '52998224725',
  ),
  external_code: externalCodeFilter('Only the customer with this external_code.', 'client-77'),
});

export const customers = c.router(
  {
    create: {
      method: 'POST',
      path: '/customers',
      summary: 'Create a customer',
      body: CreateBody,
      responses: { 201: Customer, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/customers/:customer_id',
      pathParams: pathId('customer', 'cus'),
      summary: 'Retrieve a customer',
      responses: { 200: Customer, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'cus' }),
    },
    list: {
      method: 'GET',
      path: '/customers',
      summary: 'List customers',
      query: CustomerListQuery,
      responses: { 200: listOf(Customer, { id: 'CustomerList', url: '/api/v1/customers' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/customers/:customer_id',
      pathParams: pathId('customer', 'cus'),
      summary: 'Update a customer',
      body: UpdateBody,
      responses: { 200: Customer, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'cus' }),
    },
    anonymize: {
      method: 'POST',
      path: '/customers/:customer_id/anonymize',
      pathParams: pathId('customer', 'cus'),
      summary: 'Erase the personal data of a customer (LGPD)',
      description:
        'The money records stay. Refused with 409 INVALID_STATE while an invoice is draft or open or a refund is in process.',
      body: emptyBody,
      responses: { 200: Customer, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'cus' }),
    },
    createNote: {
      method: 'POST',
      path: '/customers/:customer_id/notes',
      pathParams: pathId('customer', 'cus'),
      summary: 'Write a note on a customer',
      description: 'For whoever looks after buyers; these never see it. An anonymized customer takes none.',
      body: z.strictObject({ note: NoteCreate }).meta({ id: 'NoteCreateBody', description: 'A note to write.' }),
      responses: { 201: Note, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'cus' }),
    },
    createPortalLink: {
      method: 'POST',
      path: '/customers/:customer_id/portal_links',
      pathParams: pathId('customer', 'cus'),
      summary: 'Make a link to the page of a customer',
      description:
        'There the customer sees the subscriptions, bills, cards and mandates that the account has of them, pays, changes the card, and cancels. The link is a secret of the customer: lead them there from where they are signed in, and write it into no letter. An anonymized customer gets none.',
      body: PortalLinkInput,
      responses: { 201: PortalLink, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'cus' }),
    },
    listNotes: {
      method: 'GET',
      path: '/customers/:customer_id/notes',
      pathParams: pathId('customer', 'cus'),
      summary: 'List the notes on a customer',
      query: NoteListQuery,
      responses: {
        200: listOf(Note, { id: 'NoteList', url: `/api/v1/customers/${exampleId('cus')}/notes` }),
        ...listErrors,
        ...readErrors,
      },
      metadata: meta({ scope: 'read', idPrefix: 'cus' }),
    },
  },
  routerOptions,
);
