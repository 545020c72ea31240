import type { Customer, CustomerUpdate } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useMay, useRoleRefusal } from '../../api/may.ts';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field } from '../../parts/field.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { phoneNumber } from '../../texts/numbers.ts';
import { useSharedTexts } from '../../texts/shared.ts';
import { customerTexts } from './texts.ts';
import type { WholeCustomer } from './use-customer.ts';

const addressText = ({ address }: Customer): string | null => {
  if (address === null) return null;
  const { street, number, complement, district, city, state, zip_code: zip } = address;
  return [street, number, complement, district, city, state, zip].filter((part) => part !== null).join(', ');
};

/** Only what was changed is sent: nobody overwrites what another has just written. */
function changesOf(customer: Customer, data: FormData): CustomerUpdate {
  const written = (name: string): string => String(data.get(name) ?? '').trim();
  const [name, email, phone] = [written('name'), written('email'), written('phone')];
  return {
    ...(name !== customer.name && { name }),
    ...(email !== customer.email && { email }),
    ...(phone !== (customer.phone === null ? '' : phoneNumber(customer.phone)) && {
      phone: phone === '' ? null : phone,
    }),
  };
}

function Edit({ customer }: Pick<WholeCustomer, 'customer'>) {
  const texts = useTexts(customerTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const { run, isPending, error, edited } = useAct(
    (changes: CustomerUpdate, options) => fatura.customers.update(customer.id, changes, options),
    { done: texts.saved },
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run(changesOf(customer, new FormData(event.currentTarget)));
  };
  return (
    <Panel title={texts.edit}>
      <Form className="form" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
        <Field onChange={edited} label={texts.name} name="name" defaultValue={customer.name} isRequired />
        <Field
          onChange={edited}
          label={texts.email}
          name="email"
          type="email"
          defaultValue={customer.email ?? ''}
          isRequired
        />
        <Field
          onChange={edited}
          label={texts.phone}
          name="phone"
          type="tel"
          hint={texts.phoneHint}
          defaultValue={customer.phone === null ? '' : phoneNumber(customer.phone)}
          isRequired={false}
        />
        {error !== null && <ErrorNote error={error} />}
        <Button kind="primary" type="submit" isPending={isPending}>
          {texts.save}
        </Button>
      </Form>
    </Panel>
  );
}

/** Erases the personal data; where something is open still, it says what. */
function Erase({ customer, invoices, subscriptions }: WholeCustomer) {
  const texts = useTexts(customerTexts);
  const { money } = useFormat();
  const fatura = useFatura();
  const [isAsking, setAsking] = useState(false);
  const blockers = [
    ...invoices
      .filter(({ status }) => status === 'open')
      .map(({ id, total }) => [id, texts.blockerInvoice(money(total))]),
    ...subscriptions.filter(({ status }) => status !== 'inactive').map(({ id }) => [id, texts.blockerSubscription]),
  ] as const;
  return (
    <Panel title={texts.eraseTitle}>
      <p>{texts.eraseText}</p>
      {blockers.length > 0 ? (
        <div className="note warn">
          <p>{texts.eraseRefused}</p>
          <ul>
            {blockers.map(([id, text]) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </div>
      ) : (
        <p>
          <Button kind="danger" onPress={() => setAsking(true)}>
            {texts.erase}
          </Button>
        </p>
      )}
      <Confirm
        title={texts.eraseTitle}
        action={texts.erase}
        act={(options) => fatura.customers.anonymize(customer.id, options)}
        done={texts.erased}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      >
        <p>{texts.eraseText}</p>
      </Confirm>
    </Panel>
  );
}

/** Hands a file to the browser that nobody else has an address of. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

/** All that is stored of a customer, for whoever asks for their own data. */
function Copy({ customer: { id } }: Pick<WholeCustomer, 'customer'>) {
  const texts = useTexts(customerTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const refused = useRoleRefusal()('customers.export');
  const { run, isPending, error } = useAct((of: string) => fatura.customers.export(of), {
    done: texts.exported,
    onDone: (copy) => download(`${id}.json`, JSON.stringify(copy, null, 2)),
  });
  return (
    <Panel title={texts.exportTitle}>
      <p>{texts.exportText}</p>
      {error !== null && <ErrorNote error={error} />}
      {refused !== null && <p className="soft">{refused}</p>}
      <p>
        <Button isPending={isPending} isDisabled={refused !== null} onPress={() => run(id)}>
          {isPending ? parts.working : texts.export}
        </Button>
      </p>
    </Panel>
  );
}

/** What is stored of a customer, changed and erased. */
export function CustomerData(whole: WholeCustomer) {
  const texts = useTexts(customerTexts);
  const { customer } = whole;
  const may = useMay();
  const isErased = customer.identifier === null;
  return (
    <>
      <Panel title={texts.copyData}>
        <Facts
          facts={[
            [texts.kind, customer.description !== null && texts.kinds[customer.description]],
            [texts.address, addressText(customer)],
            [texts.externalCode, customer.external_code],
            [texts.id, <Copyable key="id" text={customer.id} name={texts.theId} />],
          ]}
        />
        {isErased && <p>{texts.isErased}</p>}
      </Panel>
      {!isErased && may('customers.update') && <Edit customer={customer} />}
      <Copy customer={customer} />
      {!isErased && may('customers.anonymize') && <Erase {...whole} />}
    </>
  );
}
