import type { PortalSubscriptionView } from './portal-data.ts';
import { usePortal } from './portal-language.ts';
import { Act, Confirmed } from './portal-methods.tsx';
import { cancelText, methodName, nextText } from './portal-words.ts';

const statusKinds: Partial<Record<PortalSubscriptionView['status'], string>> = {
  active: ' paid',
  trialing: ' paid',
  suspended: ' late',
  pending: ' late',
  inactive: ' void',
};

interface SubscriptionProps {
  readonly subscription: PortalSubscriptionView;
  readonly home: string;
}

/** The prices that it may be changed to. */
function Prices({ subscription: { id, name, prices }, home }: SubscriptionProps) {
  const { words, money, kept } = usePortal();
  return (
    <details class="confirmed">
      <summary>
        {words.subscription.change}
        <span class="visually-hidden"> {name}</span>
      </summary>
      <ul class="prices">
        {prices.map((price) => (
          <li key={price.id}>
            <a href={kept(`${home}/subscriptions/${id}/prices/${price.id}`)}>
              {price.name}: {words.price(money(price.amount), price.every)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Acts({ subscription, home }: SubscriptionProps) {
  const spoken = usePortal();
  const { subscription: said } = spoken.words;
  const { id, name, mayCancel, mayUncancel, mayPause, mayResume, prices, update, bill } = subscription;
  const at = `${home}/subscriptions/${id}`;
  return (
    <div class="acts">
      {mayUncancel && <Act action={`${at}/uncancel`} name={said.goOn} of={name} isPrimary />}
      {mayResume && <Act action={`${at}/resume`} name={said.resume} of={name} isPrimary />}
      {update !== null && bill === null && (
        <a class="secondary" href={spoken.kept(update)} data-back>
          {said.update}
          <span class="visually-hidden"> {name}</span>
        </a>
      )}
      {prices.length > 0 && <Prices subscription={subscription} home={home} />}
      {mayPause && (
        <Confirmed action={`${at}/pause`} name={said.pause} of={name} text={said.pauseText} confirm={said.pauseSure} />
      )}
      {mayCancel && (
        <Confirmed
          action={`${at}/cancel`}
          name={said.cancel}
          of={name}
          text={cancelText(spoken, subscription)}
          confirm={said.cancelSure}
        />
      )}
    </div>
  );
}

export function PortalSubscription({ subscription, home }: SubscriptionProps) {
  const spoken = usePortal();
  const { words, language, money, date } = spoken;
  const { subscription: said } = words;
  const { name, status, amount, every, paidBy, notice, changesAt, cancelAt, bill, endedAt } = subscription;
  const next = nextText(spoken, subscription);
  return (
    <li class="panel">
      <div class="row">
        <h3>{name}</h3>
        <p class="value">{words.price(money(amount), every)}</p>
      </div>
      <p class="facts">
        <span class={`status${statusKinds[status] ?? ''}`}>{words.statuses[status]}</span>
      </p>
      {next !== null && <p>{next}</p>}
      {changesAt !== null && cancelAt === null && <p>{said.changesOn(date(changesAt))}</p>}
      {paidBy !== null && endedAt === null && <p class="soft">{methodName(spoken, paidBy)}</p>}
      {notice !== null && <p class="soft">{notice[language]}</p>}
      {bill !== null && <p class="soft">{said.billed}</p>}
      {endedAt === null && <Acts subscription={subscription} home={home} />}
    </li>
  );
}
