import { isoInstant } from './format.ts';
import type { PortalBillView, PortalPaidView } from './portal-data.ts';
import { usePortal } from './portal-language.ts';
import { Part } from './portal-part.tsx';

export function Bills({ bills }: { bills: readonly PortalBillView[] }) {
  const { words, money, date, kept } = usePortal();
  const { bills: said } = words;
  return (
    <Part id="bills" title={said.title(bills.length)}>
      <ul class="cards">
        {bills.map(({ id, name, amount, dueAt, isLate, pay }) => (
          <li key={id} class="panel">
            <div class="row">
              <h3>{name ?? said.one}</h3>
              <p class="value">{money(amount)}</p>
            </div>
            <p class="facts">
              <span class={`status${isLate ? ' late' : ''}`}>{isLate ? said.late : said.open}</span>
              <span>
                {isLate ? said.wasDue : said.isDue}
                <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>
              </span>
            </p>
            <a class="primary" href={kept(pay)} data-back>
              {said.pay(money(amount))}
              <span class="visually-hidden"> {name ?? said.one}</span>
            </a>
          </li>
        ))}
      </ul>
    </Part>
  );
}

export function PaidBills({ paid }: { paid: readonly PortalPaidView[] }) {
  const { words, money, date } = usePortal();
  const { bills: said } = words;
  return (
    <ul class="panel bills">
      {paid.map(({ id, name, amount, amountRefunded, paidAt, receipt }) => (
        <li key={id}>
          <div class="row">
            <p>
              {name ?? said.one}
              <small>
                {said.paidOn}
                <time dateTime={isoInstant(paidAt)}>{date(paidAt)}</time>
                {amountRefunded > 0 && said.returned(money(amountRefunded))}
              </small>
            </p>
            <p class="value">{money(amount)}</p>
          </div>
          <p class="links">
            <a href={receipt}>
              {said.receipt}
              <span class="visually-hidden"> {`${name ?? said.one}, ${date(paidAt)}`}</span>
            </a>
            <a href={`${receipt}.pdf`}>
              {said.file}
              <span class="visually-hidden"> {`${name ?? said.one}, ${date(paidAt)}`}</span>
            </a>
          </p>
        </li>
      ))}
    </ul>
  );
}
