import { useState } from 'preact/hooks';
import { Field } from './field.tsx';
import { problemText } from './texts.ts';
import type { Checkout } from './use-checkout.ts';

/** Longer than any code, so that blanks around one fit too. */
const TYPED_MAX = 50;

/** A promotion code, typed before the payment. Without a script the browser sends the form by itself. */
export function PromotionCode({ checkout }: { checkout: Checkout }) {
  const { failure, busy, redeem } = checkout;
  const [text, type] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const refused = failure?.action === 'code' ? problemText(failure.problem) : undefined;
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setEmpty(text.trim() === '');
    if (text.trim() !== '') await redeem(text);
  };
  return (
    <form class="promotion-code" method="post" noValidate onSubmit={(event) => void onSubmit(event)}>
      <Field
        id="promotion-code"
        name="promotion_code"
        label="Código promocional"
        value={text}
        error={isEmpty ? 'Digite o código.' : refused}
        mask={(typed) => typed}
        onChange={(typed) => {
          type(typed);
          setEmpty(false);
        }}
        maxLength={TYPED_MAX}
      />
      <button type="submit" class="secondary" aria-disabled={busy !== null}>
        {busy === 'code' ? 'Aplicando …' : 'Aplicar'}
      </button>
    </form>
  );
}
