import type { WebhookEndpoint } from '@fatura/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura, useReadList } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { type Column, List } from '../../../parts/list.tsx';
import { Page } from '../../../parts/page.tsx';
import { When } from '../../../parts/when.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { allEventTypes } from '../event-types.ts';
import { ShownOnce } from '../shown-once.tsx';
import { EndpointForm, type WrittenEndpoint } from './endpoint-form.tsx';
import { EndpointStatus } from './status.tsx';
import { webhookTexts } from './texts.ts';

/** More than an account may have. */
const ENDPOINTS_MAX = 10;

export const endpointLink = ({ id }: Pick<WebhookEndpoint, 'id'>) => ({
  to: '/developer/webhooks/$id',
  params: { id },
});

export const useEndpoints = () =>
  useReadList(['webhook_endpoints'], (fatura, cursor, options) =>
    fatura.webhookEndpoints.list({ limit: ENDPOINTS_MAX, ...cursor }, options),
  );

/** How many types an endpoint receives, in words. */
export function useTypesText(): (endpoint: WebhookEndpoint) => string {
  const texts = useTexts(webhookTexts);
  return ({ event_types: types }) => {
    if (types.length === 0) return texts.noTypes;
    return types.length === allEventTypes.length ? texts.everyType : texts.typesOf(types.length);
  };
}

export function useEndpointColumns(): readonly Column<WebhookEndpoint>[] {
  const texts = useTexts(webhookTexts);
  const typesText = useTypesText();
  return [
    { id: 'url', name: texts.url, isHead: true, show: ({ url }) => <span className="long">{url}</span> },
    { id: 'description', name: texts.description, show: ({ description }) => description },
    { id: 'types', name: texts.types, show: typesText },
    { id: 'created', name: texts.created, show: ({ created }) => <When at={created} as="date" /> },
    { id: 'status', name: texts.status, isCorner: true, show: ({ status }) => <EndpointStatus status={status} /> },
  ];
}

function NewEndpoint({ onDone, onClose }: { onDone: (endpoint: WebhookEndpoint) => void; onClose: () => void }) {
  const texts = useTexts(webhookTexts);
  const fatura = useFatura();
  const act = useAct((written: WrittenEndpoint, options) => fatura.webhookEndpoints.create(written, options), {
    done: texts.registered,
    onDone,
  });
  return <EndpointForm action={texts.register} act={act} onClose={onClose} />;
}

/** Registers an endpoint, shows its secret once, and leads to it. */
function Register() {
  const texts = useTexts(webhookTexts);
  const refused = useRoleRefusal()('webhookEndpoints.create');
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<WebhookEndpoint | null>(null);
  const done = (endpoint: WebhookEndpoint): void => {
    setOpen(false);
    setMade(endpoint);
  };
  if (refused !== null) return <span className="soft">{refused}</span>;
  return (
    <>
      <Button kind="primary" onPress={() => setOpen(true)}>
        {texts.register}
      </Button>
      <Dialog title={texts.register} isOpen={isOpen} onClose={() => setOpen(false)}>
        <NewEndpoint onDone={done} onClose={() => setOpen(false)} />
      </Dialog>
      {made !== null && (
        <ShownOnce
          title={texts.secret}
          secret={made.secret ?? ''}
          name={texts.theSecret}
          onClose={() => void navigate(endpointLink(made))}
        />
      )}
    </>
  );
}

/** Where events are delivered, and whether they are accepted there. */
export function Webhooks() {
  const texts = useTexts(webhookTexts);
  return (
    <Page title={texts.title} actions={<Register />}>
      <p className="soft">
        {texts.about} {texts.limit}
      </p>
      <List
        label={texts.list}
        query={useEndpoints()}
        columns={useEndpointColumns()}
        link={endpointLink}
        empty={<p>{texts.none}</p>}
      />
    </Page>
  );
}
