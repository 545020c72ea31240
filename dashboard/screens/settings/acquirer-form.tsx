import { isFaturaError } from '@fatura/sdk';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Form } from 'react-aria-components';
import type { AcquirerCredentials, SettingsView } from '../../../contract/account-settings.ts';
import { auth, type LiveMethod } from '../../api/auth.ts';
import { useScope } from '../../api/session.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Choice, errorsByField, Field } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { acquirerTexts } from './acquirer-texts.ts';

type PixCredentials = Extract<AcquirerCredentials, { method: 'pix' }>;

const receiverTypes = [
  'corrente',
  'poupanca',
  'pagamento',
] as const satisfies readonly PixCredentials['receiver_type'][];

interface FormProps {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** A text of a form; what is left empty is not sent. */
const written = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();

const optional = <Name extends string>(data: FormData, name: Name): Partial<Record<Name, string>> => {
  const text = written(data, name);
  return text === '' ? {} : ({ [name]: text } as Record<Name, string>); // its one field
};

const chargesPerSecond = (data: FormData): Pick<AcquirerCredentials, 'charges_per_second'> => {
  const text = written(data, 'charges_per_second');
  return text === '' ? {} : { charges_per_second: Number(text) };
};

async function fileText(data: FormData, name: string): Promise<string> {
  const file = data.get(name);
  return file instanceof File ? (await file.text()).trim() : '';
}

/** A file of which the text is sent. */
function FileField({ name, label, error }: { name: string; label: string; error: string | undefined }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        name={name}
        required
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
      />
      {error !== undefined && (
        <span id={`${id}-error`} className="error">
          {error}
        </span>
      )}
    </div>
  );
}

interface CredentialsFormProps extends FormProps {
  readonly method: LiveMethod;
  readonly read: (data: FormData) => Promise<AcquirerCredentials>;
  readonly children: (errors: Readonly<Record<string, string>>) => ReactNode;
}

function CredentialsForm({ method, read, children, onDone, onCancel }: CredentialsFormProps) {
  const texts = useTexts(acquirerTexts);
  const { parts } = useSharedTexts();
  const scope = useScope();
  const save = (credentials: AcquirerCredentials) => auth.setAcquirer(scope, credentials);
  const { run, isPending, error } = useAct(save, { done: texts.saved, onDone });
  const errors = errorsByField(error, parts.checkField);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void read(new FormData(event.currentTarget)).then(run);
  };
  const isOfAcquirer = isFaturaError(error) && error.code === 'PARAMETER_INVALID' && error.param === null;
  return (
    <Form className="form" onSubmit={submit} validationErrors={errors} autoComplete="off">
      <p>{texts.formText[method]}</p>
      {children(errors)}
      <Field
        label={texts.chargesPerSecond}
        hint={texts.chargesPerSecondHint}
        name="charges_per_second"
        inputMode="numeric"
        pattern="[0-9]{1,4}"
      />
      <p className="soft">{texts.kept}</p>
      {error !== null && (
        <ErrorNote error={error}>{isOfAcquirer ? `${texts.refused} ${error.message}` : undefined}</ErrorNote>
      )}
      <div className="actions">
        <Button kind="primary" type="submit" isPending={isPending}>
          {texts.save}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
      </div>
    </Form>
  );
}

/** Without an account nothing is sent of it. */
function receiverOf(data: FormData): Pick<PixCredentials, 'receiver_account' | 'receiver_type' | 'receiver_branch'> {
  const account = written(data, 'receiver_account');
  if (account === '') return {};
  const type = receiverTypes.find((one) => one === data.get('receiver_type')) ?? receiverTypes[0];
  return { receiver_account: account, receiver_type: type, ...optional(data, 'receiver_branch') };
}

/** What opens a PSP of live PIX. */
export function PixForm({ psps, now, ...props }: FormProps & { psps: SettingsView['psps']; now: string | undefined }) {
  const texts = useTexts(acquirerTexts);
  const [profile, setProfile] = useState(now ?? psps[0]?.profile ?? '');
  const [receiverType, setReceiverType] = useState<(typeof receiverTypes)[number]>('corrente');
  const psp = psps.find((one) => one.profile === profile);
  const read = async (data: FormData): Promise<AcquirerCredentials> => {
    const extras = Object.assign({}, ...(psp?.extras ?? []).map(({ name }) => optional(data, name)));
    return {
      method: 'pix',
      profile,
      client_id: written(data, 'client_id'),
      ...optional(data, 'client_secret'),
      certificate: await fileText(data, 'certificate'),
      key: await fileText(data, 'key'),
      pix_key: written(data, 'pix_key'),
      ...receiverOf(data),
      ...chargesPerSecond(data),
      extras,
    };
  };
  return (
    <CredentialsForm method="pix" read={read} {...props}>
      {(errors) => (
        <>
          <Choice
            label={texts.psp}
            name="profile"
            value={profile}
            options={psps.map((one) => [one.profile, one.title])}
            onChange={setProfile}
          />
          <Field label={texts.clientId} name="client_id" isRequired />
          {psp?.needs_secret === true && (
            <Field label={texts.clientSecret} name="client_secret" autoComplete="off" spellCheck="false" isRequired />
          )}
          <FileField label={texts.certificateFile} name="certificate" error={errors.certificate} />
          <FileField label={texts.key} name="key" error={errors.key} />
          <p className="hint">{texts.pfx}</p>
          <Field label={texts.pixKey} hint={texts.pixKeyHint} name="pix_key" isRequired />
          <Field label={texts.receiverAccount} hint={texts.receiverHint} name="receiver_account" inputMode="numeric" />
          <Choice
            label={texts.receiverType}
            name="receiver_type"
            value={receiverType}
            options={receiverTypes.map((one) => [one, texts.receiverTypes[one]])}
            onChange={setReceiverType}
          />
          <Field label={texts.receiverBranch} name="receiver_branch" inputMode="numeric" />
          {psp?.extras.map(({ name, meaning, is_required }) => (
            <Field key={name} label={name} hint={meaning} name={name} isRequired={is_required} />
          ))}
        </>
      )}
    </CredentialsForm>
  );
}

const readCard = async (data: FormData): Promise<AcquirerCredentials> => ({
  method: 'card',
  secret_key: written(data, 'secret_key'),
  public_key: written(data, 'public_key'),
  ...optional(data, 'soft_descriptor'),
  ...chargesPerSecond(data),
});

/** What opens Pagar.me. */
export function CardForm(props: FormProps) {
  const texts = useTexts(acquirerTexts);
  return (
    <CredentialsForm method="card" read={readCard} {...props}>
      {() => (
        <>
          <Field label={texts.publicKey} name="public_key" isRequired />
          <Field label={texts.secretKey} name="secret_key" autoComplete="off" spellCheck="false" isRequired />
          <Field
            label={texts.softDescriptor}
            hint={texts.softDescriptorHint}
            name="soft_descriptor"
            isRequired={false}
          />
        </>
      )}
    </CredentialsForm>
  );
}
