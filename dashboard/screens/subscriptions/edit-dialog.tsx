import type { Subscription, SubscriptionUpdate } from '@fatura/sdk';
import type { FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { subscriptionsTexts } from './texts.ts';

interface EditProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}

/** What is another than before; what is no number is sent as it is, so that the service says what it wants. */
function changesOf({ item, external_code: code }: Subscription, data: FormData): SubscriptionUpdate {
  const wanted = String(data.get('external_code') ?? '').trim() || null;
  const quantity = Number(data.get('quantity'));
  return {
    ...(quantity !== item.quantity && { quantity }),
    ...(wanted !== code && { external_code: wanted }),
  };
}

function EditForm({ subscription, onClose }: EditProps) {
  const texts = useTexts(subscriptionsTexts).edit;
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const { run, isPending, error, reset } = useAct(
    (changes: SubscriptionUpdate, options) => fatura.subscriptions.update(subscription.id, changes, options),
    { done: texts.saved, onDone: onClose },
  );
  const errors = errorsByField(error, parts.checkField);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const changes = changesOf(subscription, new FormData(event.currentTarget));
    if (Object.keys(changes).length === 0) onClose();
    else run(changes);
  };
  return (
    // What was wrong goes as one types: on leaving the field it would take the button from under the pointer.
    <Form className="dialog-body" validationErrors={errors} onSubmit={submit}>
      <Field
        label={texts.quantity}
        name="quantity"
        inputMode="numeric"
        isRequired
        defaultValue={String(subscription.item.quantity)}
        hint={texts.quantityHint}
        onChange={reset}
      />
      <Field
        label={texts.externalCode}
        name="external_code"
        isRequired={false}
        defaultValue={subscription.external_code ?? ''}
        onChange={reset}
      />
      {error !== null && Object.keys(errors).length === 0 && <ErrorNote error={error} />}
      <FormFoot action={texts.save} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** What of a subscription may be changed: its quantity, from the next bill on, and its code. */
export function EditDialog({ isOpen, ...props }: EditProps & { isOpen: boolean }) {
  const texts = useTexts(subscriptionsTexts).edit;
  return (
    <Dialog title={texts.title} isOpen={isOpen} onClose={props.onClose}>
      <EditForm {...props} />
    </Dialog>
  );
}
