import { useSpoken } from './language.ts';
import type { InstallmentOption } from './page-data.ts';

interface InstallmentsProps {
  readonly options: readonly InstallmentOption[];
  readonly value: string;
  readonly error: string | undefined;
  readonly choose: (count: string) => void;
}

/** In how many installments, each with what it comes to, and the total below: nothing is added for them. */
export function Installments({ options, value, error, choose }: InstallmentsProps) {
  const { texts, money } = useSpoken();
  const { card: words } = texts;
  if (options.length < 2) return null;
  const textOf = ({ count, first, last }: InstallmentOption): string => {
    if (count === 1) return words.once(money(first));
    return `${words.times(count, money(last))}${first === last ? '' : words.odd(money(first))}`;
  };
  const [{ first: total } = { first: 0 }] = options;
  return (
    <fieldset class="installments" aria-describedby="installments-total">
      <legend>{words.installments}</legend>
      <div class="options">
        {options.map((option) => (
          <label key={option.count}>
            <input
              autocomplete="off"
              type="radio"
              name="installments"
              value={option.count}
              checked={value === String(option.count)}
              onChange={() => choose(String(option.count))}
            />
            <span>{textOf(option)}</span>
          </label>
        ))}
      </div>
      <p id="installments-total" class="installments-total">
        {words.total(money(total))}
      </p>
      {error !== undefined && <p class="error">{error}</p>}
    </fieldset>
  );
}
