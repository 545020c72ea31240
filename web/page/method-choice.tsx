import type { Method } from './page-data.ts';

const METHODS: readonly { method: Method; name: string }[] = [
  { method: 'pix_automatico', name: 'Pix Automático' },
  { method: 'pix', name: 'PIX' },
  { method: 'card', name: 'Cartão' },
];

interface MethodChoiceProps {
  readonly methods: readonly Method[];
  readonly legend: string;
  readonly method: Method;
  readonly choose: (method: Method) => void;
  readonly hintOf: (method: Method) => string;
}

/** One way or another; nothing to choose where one is all there is. */
export const MethodChoice = ({ legend, methods, method: chosen, choose, hintOf }: MethodChoiceProps) => (
  <fieldset class="methods scripted">
    <legend>{legend}</legend>
    {METHODS.filter(({ method }) => methods.includes(method)).map(({ method, name }) => (
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
          {name}
          <small>{hintOf(method)}</small>
        </span>
      </label>
    ))}
  </fieldset>
);

/** The merchant has no acquirer for what its buyer could pay with. */
export const NoMethod = ({ merchant }: { merchant: string }) => (
  <section class="panel" aria-label="Pagamento">
    <p>Ainda não é possível pagar por aqui. Fale com {merchant} para combinar outra forma.</p>
  </section>
);
