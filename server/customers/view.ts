import type { Customer as CustomerView } from '../../contract/customers.ts';
import type { Note as NoteView } from '../../contract/notes.ts';
import type { Customer, Note } from './entity.ts';
import { describeTaxId } from './rules.ts';

/** Every field is shown, null when it has no value (docs/product/requests.md#null-and-absent). */
function viewAddress(address: NonNullable<Customer['address']>): CustomerView['address'] {
  return {
    zip_code: address.zip_code ?? null,
    street: address.street ?? null,
    number: address.number ?? null,
    district: address.district ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    complement: address.complement ?? null,
  };
}

/** The customer as its retrieval answers it (docs/product/customers.md#the-customer). */
export function viewCustomer(customer: Customer): CustomerView {
  const identifier = customer.identifier ?? null;
  return {
    id: customer.id,
    object: 'customer',
    live_mode: customer.liveMode,
    created: customer.created,
    name: customer.name,
    external_code: customer.externalCode ?? null,
    identifier,
    email: customer.email ?? null,
    phone: customer.phone ?? null,
    description: describeTaxId(identifier),
    address: customer.address ? viewAddress(customer.address) : null,
    unsubscribed_at: customer.unsubscribedAt ?? null,
  };
}

/** The note as its list answers it (docs/product/customers.md#notes). */
export const viewNote = ({ id, liveMode, created, customerId, text, author }: Note): NoteView => ({
  id,
  object: 'note',
  live_mode: liveMode,
  created,
  customer: customerId,
  text: text ?? null,
  author,
});
