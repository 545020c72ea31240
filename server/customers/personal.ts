import type { CustomerCreate } from '../../contract/customers.ts';
import { places } from '../sealing/sealed-columns.ts';
import { openedRow, type SealedPart } from '../sealing/sealed-rows.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import type { Customer } from './entity.ts';

type InMode = Pick<Customer, 'accountId' | 'liveMode'>;

const hashed = (what: string, { accountId, liveMode }: InMode, value: string): readonly string[] => [
  what,
  accountId,
  String(liveMode),
  value,
];

const emailParts = (of: InMode, email: string) => hashed('customer e-mail', of, email.toLowerCase());
const identifierParts = (of: InMode, identifier: string) => hashed('customer identifier', of, identifier);

/** What finds the customers of an account's mode with an e-mail, whatever its case. */
export const emailIndexOf = (box: SecretBox, of: InMode, email: string): Buffer =>
  box.fingerprint(emailParts(of, email));

/** What finds the customers of an account's mode with a CPF or CNPJ in its stored form. */
export const identifierIndexOf = (box: SecretBox, of: InMode, identifier: string): Buffer =>
  box.fingerprint(identifierParts(of, identifier));

export interface Personal {
  readonly name: string;
  readonly identifier: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: NonNullable<CustomerCreate['address']> | null;
}

/** What is sealed of a customer (docs/design/keys.md#sealed-rows). */
export const customerPart: SealedPart<Customer> = {
  place: places.customer,
  column: 'personal',
  of: ['name', 'identifier', 'email', 'phone', 'address'],
  indexes: {
    emailIndex: (row) => (row.email ? emailParts(row, row.email) : null),
    identifierIndex: (row) => (row.identifier ? identifierParts(row, row.identifier) : null),
  },
};

/** A customer, or some columns of one with `personal` among them, as it is shown. */
export const openedCustomer = <Read extends { readonly id: string; readonly accountId: string }>(
  row: Read,
  box: SecretBox,
): Read & Personal => openedRow<Read, Personal>(customerPart, row, box);
