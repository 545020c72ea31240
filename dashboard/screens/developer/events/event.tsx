import type { Delivery, Event, EventDeliveries, Fatura, RequestOptions, WebhookEndpoint } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura, useRead } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { Button } from '../../../parts/button.tsx';
import { Copyable } from '../../../parts/copyable.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { MissingNote } from '../../../parts/missing-note.tsx';
import { ObjectLink } from '../../../parts/object-link.tsx';
import { Facts, Page, Panel } from '../../../parts/page.tsx';
import { Pending } from '../../../parts/pending.tsx';
import { When } from '../../../parts/when.tsx';
import { WorkflowsLink } from '../../../parts/workflows-link.tsx';
import { eventTexts } from '../../../texts/events.ts';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { Ladders } from '../webhooks/ladders.tsx';
import { ResultBadge } from '../webhooks/status.tsx';
import { webhookTexts } from '../webhooks/texts.ts';
import { developerEventTexts } from './texts.ts';

const route = getRouteApi('/frame/developer/events/$id');

/** More than an account may have. */
const ENDPOINTS_MAX = 10;
const INDENT = 2;

interface WholeEvent {
  readonly event: Event;
  readonly deliveries: EventDeliveries;
  readonly endpoints: readonly WebhookEndpoint[];
}

async function readWhole(fatura: Fatura, id: string, options: RequestOptions): Promise<WholeEvent> {
  const [event, deliveries, endpoints] = await Promise.all([
    fatura.events.retrieve(id, options),
    fatura.events.deliveries(id, options),
    fatura.webhookEndpoints.list({ limit: ENDPOINTS_MAX }, options).all({ max: ENDPOINTS_MAX }),
  ]);
  return { event, deliveries, endpoints };
}

function About({ event: { id, type, created, data } }: Pick<WholeEvent, 'event'>) {
  const texts = useTexts(developerEventTexts);
  return (
    <Panel>
      <Facts
        facts={[
          [texts.type, <code key="type">{type}</code>],
          [texts.when, <When key="when" at={created} />],
          [texts.object, <ObjectLink key="object" id={data.object.id} />],
          [texts.id, <Copyable key="id" text={id} name={texts.theId} />],
        ]}
      />
      <WorkflowsLink of={[id]} />
    </Panel>
  );
}

function ResendToAll({ id }: { id: string }) {
  const texts = useTexts(developerEventTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const role = useRoleRefusal();
  const { run, isPending, error } = useAct((event: string, options) => fatura.events.resend(event, {}, options), {
    done: texts.resent,
  });
  const refused = role('events.resend');
  if (refused !== null) return <p className="soft">{refused}</p>;
  return (
    <>
      {error !== null && <ErrorNote error={error} />}
      <p>
        <Button isPending={isPending} onPress={() => run(id)}>
          {isPending ? parts.working : texts.resendToAll}
        </Button>
      </p>
    </>
  );
}

/** The sendings to each endpoint, in the order in which they come. */
function byEndpoint(ladders: readonly Delivery[]): readonly (readonly [id: string, ladders: readonly Delivery[]])[] {
  const ids = [...new Set(ladders.map(({ webhook_endpoint: id }) => id))];
  return ids.map((id) => [id, ladders.filter(({ webhook_endpoint: one }) => one === id)]);
}

function Sendings({ event, deliveries, endpoints }: WholeEvent) {
  const texts = useTexts(developerEventTexts);
  const { deliveries: title } = useTexts(webhookTexts);
  const ladders = byEndpoint(deliveries.deliveries.data);
  const urlOf = (id: string) => endpoints.find((one) => one.id === id)?.url;
  return (
    <Panel title={title}>
      {ladders.length === 0 && <p className="soft">{texts.noDeliveries}</p>}
      {ladders.map(([id, ofEndpoint]) => (
        <div key={id} className="stack sending">
          <h3 className="long">
            {urlOf(id) === undefined ? `${texts.gone} (${id})` : <ObjectLink id={id}>{urlOf(id)}</ObjectLink>}
          </h3>
          <Ladders ladders={ofEndpoint} />
        </div>
      ))}
      <ResendToAll id={event.id} />
    </Panel>
  );
}

function Body({ event }: Pick<WholeEvent, 'event'>) {
  const texts = useTexts(developerEventTexts);
  const body = JSON.stringify(event, null, INDENT);
  return (
    <Panel title={texts.body} actions={<Copyable text={body} shown="" name={texts.theBody} />}>
      <pre className="json">{body}</pre>
    </Panel>
  );
}

/** One event: what happened, the text that is sent, and what became of it at each endpoint. */
export function EventScreen() {
  const { id } = route.useParams();
  const sentences = useTexts(eventTexts);
  const { data, error, refetch } = useRead(['events', id, 'whole'], (fatura, options) =>
    readWhole(fatura, id, options),
  );
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Page title={sentences[data.event.type]} aside={<ResultBadge status={data.deliveries.delivery_status} />}>
      <div className="columns">
        <div className="stack">
          <About {...data} />
          <Sendings {...data} />
        </div>
        <Body {...data} />
      </div>
    </Page>
  );
}
