import { Link } from '@tanstack/react-router';
import { useReadList } from '../../api/queries.ts';
import { useScope, useSession } from '../../api/session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { List } from '../../parts/list.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { eventLink, useEventColumns } from './events/events.tsx';
import { developerTexts } from './texts.ts';
import { endpointLink, useEndpointColumns, useEndpoints } from './webhooks/webhooks.tsx';

const FAILED_SHOWN = 10;

function Connect() {
  const texts = useTexts(developerTexts);
  const { public_url: url } = useSession();
  const { account } = useScope();
  return (
    <Panel title={texts.connect}>
      <Facts
        facts={[
          [texts.baseUrl, <Copyable key="url" text={`${url}/api/v1`} name={texts.theBaseUrl} />],
          [texts.account, <Copyable key="account" text={account} name={texts.theAccount} />],
        ]}
      />
    </Panel>
  );
}

/** What could not be delivered, newest first. */
function Failed() {
  const texts = useTexts(developerTexts);
  const query = useReadList(['events', 'failed'], (fatura, cursor, options) =>
    fatura.events.list({ delivery_status: 'failed', limit: FAILED_SHOWN, ...cursor }, options),
  );
  return (
    <section className="stack" aria-labelledby="failed">
      <h2 id="failed">{texts.failed}</h2>
      <List
        label={texts.failed}
        query={query}
        columns={useEventColumns()}
        link={eventLink}
        empty={<p>{texts.noFailed}</p>}
        hasOwnKeys={false}
      />
    </section>
  );
}

/** How the integration of the merchant is: its endpoints first, then what did not arrive. */
export function Developer() {
  const texts = useTexts(developerTexts);
  return (
    <Page title={texts.title}>
      <Connect />
      <section className="stack" aria-labelledby="health">
        <h2 id="health">{texts.health}</h2>
        <List
          label={texts.health}
          query={useEndpoints()}
          columns={useEndpointColumns()}
          link={endpointLink}
          empty={
            <>
              <p>{texts.noEndpoints}</p>
              <Link to="/developer/webhooks">{texts.seeAll}</Link>
            </>
          }
        />
      </section>
      <Failed />
    </Page>
  );
}
