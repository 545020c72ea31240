import type { Product, ProductCreate } from '@fatura/sdk';
import type { FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { type SendOptions, useAct } from '../../parts/act.ts';
import { Dialog, FormFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { errorsByField, Field } from '../../parts/field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useSharedTexts } from '../../texts/shared.ts';
import { productTexts } from './texts.ts';

interface ProductDialogProps {
  readonly title: string;
  readonly action: string;
  readonly done: string;
  /** As it is now; absent: a new one. */
  readonly product?: Product;
  readonly act: (product: ProductCreate, options: SendOptions) => PromiseLike<Product>;
  readonly onDone: (product: Product) => void;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function written(data: FormData): ProductCreate {
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const orNull = (name: string): string | null => (text(name) === '' ? null : text(name));
  return { name: text('name'), description: orNull('description'), external_code: orNull('external_code') };
}

function ProductForm({ product, action, done, act, onDone, onClose }: ProductDialogProps) {
  const texts = useTexts(productTexts);
  const { parts } = useSharedTexts();
  const { run, isPending, error, edited } = useAct(act, { done, onDone });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run(written(new FormData(event.currentTarget)));
  };
  return (
    <Form className="stack" onSubmit={submit} validationErrors={errorsByField(error, parts.checkField)}>
      <Field
        onChange={edited}
        label={texts.name}
        name="name"
        hint={texts.nameHint}
        defaultValue={product?.name ?? ''}
        maxLength={250}
        isRequired
      />
      <Field
        onChange={edited}
        label={texts.description}
        name="description"
        defaultValue={product?.description ?? ''}
        maxLength={1_000}
        isLong
        isRequired={false}
      />
      <Field
        onChange={edited}
        label={texts.externalCode}
        name="external_code"
        defaultValue={product?.external_code ?? ''}
        isRequired={false}
      />
      {error !== null && <ErrorNote error={error} />}
      <FormFoot action={action} isPending={isPending} onClose={onClose} />
    </Form>
  );
}

/** What a product is called, new or changed. */
export function ProductDialog(props: ProductDialogProps) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <ProductForm {...props} />
    </Dialog>
  );
}
