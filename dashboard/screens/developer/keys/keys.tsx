import type { ApiKey, ApiKeyListParams, ApiKeyStatus } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../../api/may.ts';
import { useReadList } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ChoiceFilter, FilterBar, NothingFound } from '../../../parts/filters.tsx';
import { type Column, List } from '../../../parts/list.tsx';
import { Page } from '../../../parts/page.tsx';
import { Status, type Tone } from '../../../parts/status.tsx';
import { When } from '../../../parts/when.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { keyStatuses } from '../search.ts';
import { ShownOnce } from '../shown-once.tsx';
import { KeyActions } from './actions.tsx';
import { IssueForm } from './key-form.tsx';
import { keyTexts } from './texts.ts';

const route = getRouteApi('/frame/developer/keys');

const tones: Readonly<Record<ApiKeyStatus, Tone>> = { valid: 'good', expired: 'off', revoked: 'off' };

function KeyStatus({ status, replaced_by: successor }: ApiKey) {
  const texts = useTexts(keyTexts);
  const isEnding = status === 'valid' && successor !== null;
  return <Status tone={isEnding ? 'calm' : tones[status]}>{isEnding ? texts.rolled : texts.statuses[status]}</Status>;
}

function useColumns(): readonly Column<ApiKey>[] {
  const texts = useTexts(keyTexts);
  return [
    {
      id: 'name',
      name: texts.name,
      isHead: true,
      show: ({ name, hint }) => (
        <span className="long">
          {name} <code className="soft">…{hint}</code>
        </span>
      ),
    },
    { id: 'scope', name: texts.scope, show: ({ scope }) => texts.scopes[scope] },
    {
      id: 'networks',
      name: texts.networks,
      show: ({ networks }) => (networks.length === 0 ? texts.anywhere : networks.join(', ')),
    },
    { id: 'created', name: texts.created, show: ({ created }) => <When at={created} as="date" /> },
    {
      id: 'used',
      name: texts.lastUsed,
      show: ({ last_used_at: at }) => (at === null ? texts.never : <When at={at} />),
    },
    { id: 'end', name: texts.ends, show: ({ expires_at: at }) => (at === null ? texts.noEnd : <When at={at} />) },
    { id: 'status', name: texts.status, isCorner: true, show: (key) => <KeyStatus {...key} /> },
  ];
}

const MAX = 100;

/** Valid keys are 20 at most, so one page has them. */
const paramsOf = (status: ApiKeyStatus | undefined): ApiKeyListParams => ({
  limit: MAX,
  ...(status !== undefined && { status }),
});

function Keys({ status, onSecret }: { status: ApiKeyStatus | undefined; onSecret: (key: ApiKey) => void }) {
  const texts = useTexts(keyTexts);
  const columns = useColumns();
  const params = paramsOf(status);
  const query = useReadList(['api_keys', params], (fatura, cursor, options) =>
    fatura.apiKeys.list({ ...params, ...cursor }, options),
  );
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const full = rows.filter((key) => key.status === 'valid' && key.scope === 'full');
  const acts: Column<ApiKey> = {
    id: 'actions',
    name: texts.edit,
    isNameHidden: true,
    align: 'end',
    show: (key) => (
      <KeyActions
        apiKey={key}
        isLastFull={!query.hasNextPage && full.length === 1 && full[0]?.id === key.id}
        onSecret={onSecret}
      />
    ),
  };
  return (
    <List
      label={texts.list}
      query={query}
      columns={[...columns, acts]}
      hasOwnKeys={false}
      empty={<NothingFound filters={[status && texts.statuses[status]]} />}
    />
  );
}

/** The keys by which programs use the API, in the mode of the screen. */
export function KeysScreen() {
  const texts = useTexts(keyTexts);
  const { status } = route.useSearch();
  const refused = useRoleRefusal()('apiKeys.list');
  const [isIssuing, setIssuing] = useState(false);
  const [made, setMade] = useState<ApiKey | null>(null);
  const issued = (key: ApiKey): void => {
    setIssuing(false);
    setMade(key);
  };
  if (refused !== null) {
    return (
      <Page title={texts.title}>
        <p>{refused}</p>
      </Page>
    );
  }
  return (
    <Page
      title={texts.title}
      actions={
        <Button kind="primary" onPress={() => setIssuing(true)}>
          {texts.issue}
        </Button>
      }
    >
      <p className="soft">{texts.about}</p>
      <FilterBar filters={{ status }}>
        <ChoiceFilter
          label={texts.status}
          name="status"
          value={status}
          options={keyStatuses.map((one) => [one, texts.statuses[one]] as const)}
        />
      </FilterBar>
      <Keys status={status} onSecret={setMade} />
      <Dialog title={texts.issue} isOpen={isIssuing} onClose={() => setIssuing(false)}>
        <IssueForm onDone={issued} onClose={() => setIssuing(false)} />
      </Dialog>
      {made !== null && (
        <ShownOnce title={texts.key} secret={made.key ?? ''} name={texts.theKey} onClose={() => setMade(null)} />
      )}
    </Page>
  );
}
