import { date, isoInstant, money } from './format.ts';
import type { PortalBillView, PortalPaidView } from './portal-data.ts';
import { Part } from './portal-part.tsx';

export const Bills = ({ bills }: { bills: readonly PortalBillView[] }) => (
  <Part id="bills" title={bills.length === 1 ? 'Cobrança em aberto' : 'Cobranças em aberto'}>
    <ul class="cards">
      {bills.map(({ id, name, amount, dueAt, isLate, pay }) => (
        <li key={id} class="panel">
          <div class="row">
            <h3>{name}</h3>
            <p class="value">{money(amount)}</p>
          </div>
          <p class="facts">
            <span class={`status${isLate ? ' late' : ''}`}>{isLate ? 'Vencida' : 'Em aberto'}</span>
            <span>
              {isLate ? 'Venceu' : 'Vence'} em <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>
            </span>
          </p>
          <a class="primary" href={pay} data-back>
            Pagar {money(amount)}
            <span class="visually-hidden"> {name}</span>
          </a>
        </li>
      ))}
    </ul>
  </Part>
);

export const PaidBills = ({ paid }: { paid: readonly PortalPaidView[] }) => (
  <ul class="panel bills">
    {paid.map(({ id, name, amount, amountRefunded, paidAt, receipt }) => (
      <li key={id}>
        <div class="row">
          <p>
            {name}
            <small>
              Paga em <time dateTime={isoInstant(paidAt)}>{date(paidAt)}</time>
              {amountRefunded > 0 && `; devolvidos ${money(amountRefunded)}`}
            </small>
          </p>
          <p class="value">{money(amount)}</p>
        </div>
        <p class="links">
          <a href={receipt}>
            Ver recibo<span class="visually-hidden"> {`${name}, ${date(paidAt)}`}</span>
          </a>
          <a href={`${receipt}.pdf`}>
            Baixar PDF<span class="visually-hidden"> {`${name}, ${date(paidAt)}`}</span>
          </a>
        </p>
      </li>
    ))}
  </ul>
);
