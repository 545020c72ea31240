import type { Answer } from '../answer.ts';
import type {
  Customer,
  CustomerCreate,
  CustomerExport,
  CustomerListParams,
  CustomerUpdate,
  Note,
  NoteCreate,
  NoteListParams,
  PortalLink,
  PortalLinkInput,
} from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Who is charged. */
export class Customers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a customer. `identifier` is a CPF or CNPJ with right check digits, with or without punctuation.
   * @throws {FaturaError} `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` while the test clock advances.
   */
  create(customer: CustomerCreate, options?: WriteOptions): Answer<Customer> {
    return this.#transport.send('customers.create', { body: customer }, options);
  }

  /**
   * Reads one customer.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Customer> {
    return this.#transport.send('customers.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent; null clears an optional one, and an address is replaced whole. Invoices made before keep
   * the name and e-mail they were made with.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `INVALID_STATE` once anonymized.
   */
  update(id: string, changes: CustomerUpdate, options?: WriteOptions): Answer<Customer> {
    return this.#transport.send('customers.update', { id, body: changes }, options);
  }

  /**
   * Customers, newest first, by e-mail, CPF or CNPJ, external code or instant of creation (Unix seconds); `query` finds
   * them by words of name and e-mail, and by the first digits of CPF, CNPJ or phone.
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: CustomerListParams = {}, options?: RequestOptions): List<Customer> {
    return new List(
      (cursor) => this.#transport.request('customers.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * All that is stored of a customer, for whoever asks for it by art. 18 of the LGPD. Needs a key that may do everything.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXPORT_TOO_LARGE` beyond 8 MiB.
   */
  export(id: string, options?: RequestOptions): Answer<CustomerExport> {
    return this.#transport.send('customers.export', { id }, options);
  }

  /**
   * Erases the customer's personal data for good (LGPD), also on invoices; the money records stay.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` while an invoice is draft or open or a refund is in
   * process.
   */
  anonymize(id: string, options?: WriteOptions): Answer<Customer> {
    return this.#transport.send('customers.anonymize', { id }, options);
  }

  /**
   * Writes a note on a customer, for whoever looks after buyers; these never see it.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` for an anonymized customer or while the test clock advances.
   */
  createNote(id: string, note: NoteCreate, options?: WriteOptions): Answer<Note> {
    return this.#transport.send('customers.createNote', { id, body: note }, options);
  }

  /**
   * Makes a link to the page on which the customer sees the subscriptions, bills and cards that you have of them, pays, and
   * cancels. Lead the customer there at once: whoever has the link acts for the customer until it ends.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` for an anonymized customer or while the test clock advances.
   */
  createPortalLink(id: string, link: PortalLinkInput = {}, options?: WriteOptions): Answer<PortalLink> {
    return this.#transport.send('customers.createPortalLink', { id, body: link }, options);
  }

  /**
   * The notes on a customer, newest first; `text` is null once the customer is anonymized.
   * @throws {FaturaError} `RESOURCE_MISSING`, `CURSOR_INVALID`.
   */
  listNotes(id: string, params: NoteListParams = {}, options?: RequestOptions): List<Note> {
    return new List(
      (cursor) => this.#transport.request('customers.listNotes', { id, query: { ...params, ...cursor } }, options),
      params,
    );
  }
}
