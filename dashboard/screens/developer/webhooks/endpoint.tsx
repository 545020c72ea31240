import type { WebhookEndpoint } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../../api/queries.ts';
import { Copyable } from '../../../parts/copyable.tsx';
import { MissingNote } from '../../../parts/missing-note.tsx';
import { Facts, Page, Panel } from '../../../parts/page.tsx';
import { Pending } from '../../../parts/pending.tsx';
import { When } from '../../../parts/when.tsx';
import { WorkflowsLink } from '../../../parts/workflows-link.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { allEventTypes, filtersOf } from '../event-types.ts';
import { EndpointActions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { Recovery } from './recovery.tsx';
import { EndpointStatus } from './status.tsx';
import { webhookTexts } from './texts.ts';

const route = getRouteApi('/frame/developer/webhooks/$id');

function Types({ event_types: types }: Pick<WebhookEndpoint, 'event_types'>) {
  const texts = useTexts(webhookTexts);
  if (types.length === 0) return <>{texts.noTypes}</>;
  if (types.length === allEventTypes.length) return <>{texts.everyType}</>;
  return (
    <span className="codes">
      {filtersOf(new Set(types)).map((filter) => (
        <code key={filter}>{filter}</code>
      ))}
    </span>
  );
}

function About({ endpoint }: { endpoint: WebhookEndpoint }) {
  const texts = useTexts(webhookTexts);
  const { id, url, description, status, created } = endpoint;
  return (
    <Panel>
      {status !== 'active' && <p className="note warn">{texts[status]}</p>}
      <Facts
        facts={[
          [texts.url, <Copyable key="url" text={url} name={texts.url} />],
          [texts.description, description],
          [texts.types, <Types key="types" {...endpoint} />],
          [texts.created, <When key="created" at={created} />],
          [texts.id, <Copyable key="id" text={id} name={texts.theId} />],
        ]}
      />
      <WorkflowsLink of={[id]} />
    </Panel>
  );
}

/** One endpoint: what it receives, whether it accepts it, and what was sent to it. */
export function EndpointScreen() {
  const { id } = route.useParams();
  const { account: _account, mode: _mode, ...filters } = route.useSearch();
  const { data, error, refetch } = useRead(['webhook_endpoints', id], (fatura, options) =>
    fatura.webhookEndpoints.retrieve(id, options),
  );
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Page
      title={URL.parse(data.url)?.host ?? data.url}
      aside={<EndpointStatus status={data.status} />}
      actions={<EndpointActions endpoint={data} />}
    >
      <div className="columns">
        <About endpoint={data} />
        <Recovery endpoint={data} />
      </div>
      <Deliveries endpoint={id} isOff={data.status === 'disabled'} filters={filters} />
    </Page>
  );
}
