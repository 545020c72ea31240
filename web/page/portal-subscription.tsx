import { date } from './format.ts';
import type { PortalSubscriptionView } from './portal-data.ts';
import { Act, Confirmed } from './portal-methods.tsx';
import { cancelText, methodName, nextText, priceText, subscriptionStatusNames } from './portal-words.ts';

const statusKinds: Partial<Record<PortalSubscriptionView['status'], string>> = {
  active: ' paid',
  trialing: ' paid',
  suspended: ' late',
  pending: ' late',
  inactive: ' void',
};

/** The prices that it may be changed to. */
const Prices = ({
  subscription: { id, name, prices },
  home,
}: {
  subscription: PortalSubscriptionView;
  home: string;
}) => (
  <details class="confirmed">
    <summary>
      Mudar de plano<span class="visually-hidden"> {name}</span>
    </summary>
    <ul class="prices">
      {prices.map((price) => (
        <li key={price.id}>
          <a href={`${home}/subscriptions/${id}/prices/${price.id}`}>
            {price.name}: {priceText(price)}
          </a>
        </li>
      ))}
    </ul>
  </details>
);

function Acts({ subscription, home }: { subscription: PortalSubscriptionView; home: string }) {
  const { id, name, mayCancel, mayUncancel, mayPause, mayResume, prices, update, bill } = subscription;
  const at = `${home}/subscriptions/${id}`;
  return (
    <div class="acts">
      {mayUncancel && <Act action={`${at}/uncancel`} name="Continuar assinando" of={name} isPrimary />}
      {mayResume && <Act action={`${at}/resume`} name="Retomar" of={name} isPrimary />}
      {update !== null && bill === null && (
        <a class="secondary" href={update} data-back>
          Trocar a forma de pagamento<span class="visually-hidden"> {name}</span>
        </a>
      )}
      {prices.length > 0 && <Prices subscription={subscription} home={home} />}
      {mayPause && (
        <Confirmed
          action={`${at}/pause`}
          name="Pausar"
          of={name}
          text="A assinatura para hoje e nada é cobrado enquanto isso. Os dias já pagos ficam guardados até você retomar."
          confirm="Sim, pausar"
        />
      )}
      {mayCancel && (
        <Confirmed
          action={`${at}/cancel`}
          name="Cancelar assinatura"
          of={name}
          text={cancelText(subscription)}
          confirm="Sim, cancelar"
        />
      )}
    </div>
  );
}

export function PortalSubscription({ subscription, home }: { subscription: PortalSubscriptionView; home: string }) {
  const { name, status, paidBy, notice, changesAt, cancelAt, bill, endedAt } = subscription;
  const next = nextText(subscription);
  return (
    <li class="panel">
      <div class="row">
        <h3>{name}</h3>
        <p class="value">{priceText(subscription)}</p>
      </div>
      <p class="facts">
        <span class={`status${statusKinds[status] ?? ''}`}>{subscriptionStatusNames[status]}</span>
      </p>
      {next !== null && <p>{next}</p>}
      {changesAt !== null && cancelAt === null && <p>Muda de plano em {date(changesAt)}.</p>}
      {paidBy !== null && endedAt === null && <p class="soft">{methodName(paidBy)}</p>}
      {notice !== null && <p class="soft">{notice}</p>}
      {bill !== null && <p class="soft">Há uma cobrança em aberto no alto desta página.</p>}
      {endedAt === null && <Acts subscription={subscription} home={home} />}
    </li>
  );
}
