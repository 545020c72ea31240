import { useState } from 'preact/hooks';
import { Field } from './field.tsx';
import { useSpoken } from './language.ts';
import { problemText } from './texts.ts';
import type { Checkout } from './use-checkout.ts';

/** Longer than any code, so that blanks around one fit too. */
const TYPED_MAX = 50;

/** A promotion code, typed before the payment. Without a script the browser sends the form by itself. */
export function PromotionCode({ checkout }: { checkout: Checkout }) {
  const { failure, busy, redeem } = checkout;
  const { texts } = useSpoken();
  const { promotionCode: words } = texts;
  const [text, type] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const refused = failure?.action === 'code' ? problemText(texts, failure.problem) : undefined;
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
        label={words.label}
        value={text}
        error={isEmpty ? words.empty : refused}
        mask={(typed) => typed}
        onChange={(typed) => {
          type(typed);
          setEmpty(false);
        }}
        maxLength={TYPED_MAX}
      />
      <button type="submit" class="secondary" aria-disabled={busy !== null}>
        {busy === 'code' ? words.applying : words.apply}
      </button>
    </form>
  );
}
