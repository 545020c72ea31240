import { useSpoken } from './language.ts';
import { BrandMarks, PixMark } from './marks.tsx';
import type { Method } from './page-data.ts';

const METHODS: readonly Method[] = ['pix_automatico', 'pix', 'card'];

interface MethodChoiceProps {
  readonly methods: readonly Method[];
  readonly legend: string;
  readonly method: Method;
  readonly choose: (method: Method) => void;
  readonly hintOf: (method: Method) => string;
}

/** One way or another; nothing to choose where one is all there is. */
export function MethodChoice({ methods, legend, method: chosen, choose, hintOf }: MethodChoiceProps) {
  const { texts } = useSpoken();
  return (
    <fieldset class="methods scripted">
      <legend>{legend}</legend>
      {METHODS.filter((method) => methods.includes(method)).map((method) => (
        <label key={method} class="method">
          <input
            autocomplete="off"
            type="radio"
            name="method"
            value={method}
            checked={chosen === method}
            onChange={() => choose(method)}
          />
          <span>
            {texts.methodNames[method]}
            <small>{hintOf(method)}</small>
          </span>
          {method === 'card' ? <BrandMarks /> : <PixMark />}
        </label>
      ))}
    </fieldset>
  );
}

/** The merchant has no acquirer for what its buyer could pay with. */
export function NoMethod({ merchant }: { merchant: string }) {
  const { payment } = useSpoken().texts;
  return (
    <section class="panel" aria-label={payment.label}>
      <p>{payment.none(merchant)}</p>
    </section>
  );
}
