import type { ComponentChildren } from 'preact';
import { isoInstant } from './format.ts';
import { useSpoken } from './language.ts';
import { isDone, type Links, type PurchaseView, type Standing } from './page-data.ts';
import type { Texts } from './texts/pt.ts';

type Closed = Exclude<Standing, 'payable' | 'buyer' | 'renewing' | 'card_needed'>;

type SignName = 'wait' | 'done' | 'none';

export const isClosed = (standing: Standing): standing is Closed =>
  standing !== 'payable' && standing !== 'buyer' && standing !== 'renewing' && standing !== 'card_needed';

const signs: Readonly<Record<Closed, SignName>> = {
  processing: 'wait',
  scheduled: 'wait',
  unknown: 'wait',
  confirmed: 'wait',
  paid: 'done',
  begun: 'done',
  void: 'none',
  billed: 'none',
  expired: 'none',
};

export const Sign = ({ sign }: { sign: SignName }) =>
  sign === 'none' ? null : (
    <svg class={`sign ${sign}`} viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="20" />
      <path d={sign === 'done' ? 'M15 25l6 6 12-13' : 'M24 14v11l7 5'} />
    </svg>
  );

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

type PaidBy = NonNullable<PurchaseView['paidBy']>;

function methodName({ methodNames, standing }: Texts, { method, installments }: PaidBy): string {
  if (method !== 'card') return methodNames[method];
  return installments === 1 ? standing.cardOnce : standing.cardTimes(installments);
}

function Receipt({ purchase: { amount, paidAt, paidBy, amountRefunded } }: { purchase: PurchaseView }) {
  const { texts, money, moment } = useSpoken();
  const { standing: words } = texts;
  return (
    <dl class="receipt">
      <Fact name={words.amountPaid}>{money(amount)}</Fact>
      {paidAt !== null && (
        <Fact name={words.paidAt}>
          <time dateTime={isoInstant(paidAt)}>{moment(paidAt)}</time>
        </Fact>
      )}
      {paidBy !== null && <Fact name={words.paidBy}>{methodName(texts, paidBy)}</Fact>}
      {amountRefunded > 0 && <Fact name={words.refunded}>{money(amountRefunded)}</Fact>}
    </dl>
  );
}

interface BackProps {
  readonly links: Links;
  readonly isPaid: boolean;
  /** Seconds until the page goes there by itself; null: it stays. */
  readonly goesIn: number | null;
}

/** Leads back: after a payment to where the shop thanks, else to where it sells. */
function BackToShop({ links, isPaid, goesIn }: BackProps) {
  const { standing: words } = useSpoken().texts;
  const to = isPaid ? links.success : links.back;
  if (to === null) return null;
  return (
    <>
      <p>
        <a class="primary" href={to}>
          {words.back}
        </a>
      </p>
      {goesIn !== null && (
        <p class="note" role="timer">
          {words.goingBack(goesIn)}
        </p>
      )}
    </>
  );
}

interface ClosedProps {
  readonly purchase: PurchaseView;
  readonly standing: Closed;
  readonly goesIn: number | null;
}

/** What is said of a day of it. */
function Days({ purchase, standing }: Pick<ClosedProps, 'purchase' | 'standing'>) {
  const { texts, money, date } = useSpoken();
  const { standing: words } = texts;
  const { debitedOn, amount, dueAt } = purchase;
  if (standing === 'scheduled' && debitedOn !== null)
    return (
      <p>
        {words.debitedOn}
        <time dateTime={isoInstant(debitedOn)}>{date(debitedOn)}</time>.
      </p>
    );
  if (standing !== 'begun') return null;
  return (
    <p>
      {words.firstCharge(money(amount))}
      <time dateTime={isoInstant(dueAt)}>{date(dueAt)}</time>
      {words.unlessCanceled}
    </p>
  );
}

/** A purchase that cannot be paid now: why, and what comes next. */
export function Closed({ purchase, standing, goesIn }: ClosedProps) {
  const { texts, of, again } = useSpoken();
  const { title, text } = texts.closed[standing];
  const sign = signs[standing];
  return (
    <section class="panel closed" aria-labelledby="standing">
      <Sign sign={sign} />
      <h2 id="standing" tabIndex={-1}>
        {of(purchase, title)}
      </h2>
      <p>{of(purchase, text)}</p>
      <Days purchase={purchase} standing={standing} />
      {standing === 'paid' && <Receipt purchase={purchase} />}
      {purchase.receipt !== null && (
        <p class="note">
          <a href={purchase.receipt}>{texts.standing.receipt}</a>
        </p>
      )}
      {purchase.links !== null && sign !== 'wait' && (
        <BackToShop links={purchase.links} isPaid={isDone(purchase)} goesIn={goesIn} />
      )}
      {standing === 'billed' && (
        <p>
          <a class="primary" href={again}>
            {texts.standing.bill}
          </a>
        </p>
      )}
      {sign === 'wait' && (
        <noscript>
          <p>
            <a href={again}>{texts.standing.refresh}</a>
          </p>
        </noscript>
      )}
    </section>
  );
}
