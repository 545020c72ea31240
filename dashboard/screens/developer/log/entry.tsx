import type { AuditActor, AuditLogEntry } from '@fatura/sdk';
import type { ReactNode } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Copyable } from '../../../parts/copyable.tsx';
import { type Column, Rows } from '../../../parts/list.tsx';
import { ObjectLink } from '../../../parts/object-link.tsx';
import { Facts } from '../../../parts/page.tsx';
import { useSetFilters } from '../../../parts/use-filters.ts';
import { When } from '../../../parts/when.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { auditActionTexts } from './actions.ts';
import { auditLogTexts } from './texts.ts';

/** A field of an object, as it was and as it is. */
interface Change {
  readonly id: string;
  readonly before: unknown;
  readonly after: unknown;
}

function changesOf({ before, after }: AuditLogEntry): readonly Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((id) => ({ id, before: before?.[id], after: after?.[id] }));
}

/** Values by the names that the log has for instants. */
const IS_INSTANT = /(?:_at|^created|^to|^now|^at)$/;
const YEAR_2000 = 946_684_800;

function Value({ name, value }: { name: string; value: unknown }): ReactNode {
  const texts = useTexts(auditLogTexts);
  if (value === null || value === undefined) return '—';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'number' && IS_INSTANT.test(name) && value > YEAR_2000) return <When at={value} />;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || '—';
  return <code>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</code>;
}

function Changes({ entry }: { entry: AuditLogEntry }) {
  const texts = useTexts(auditLogTexts);
  const rows = changesOf(entry);
  if (rows.length === 0) return <p className="soft">{texts.noChanges}</p>;
  const columns: readonly Column<Change>[] = [
    { id: 'field', name: texts.field, show: ({ id }) => <code>{id}</code> },
    { id: 'before', name: texts.before, show: ({ id, before }) => <Value name={id} value={before} /> },
    { id: 'after', name: texts.after, show: ({ id, after }) => <Value name={id} value={after} /> },
  ];
  return <Rows label={texts.changes} rows={rows} columns={columns} hasOwnKeys={false} />;
}

/** Who did it, as people say it. */
function useActorText(): (actor: AuditActor) => string {
  const texts = useTexts(auditLogTexts);
  return ({ kind, id, name }) => {
    if (kind === 'service') return texts.kinds.service;
    return kind === 'staff' ? (name ?? id) : texts.by(texts.kinds[kind], name ?? id);
  };
}

function Details({ entry }: { entry: AuditLogEntry }) {
  const texts = useTexts(auditLogTexts);
  const setFilters = useSetFilters();
  const { actor, object_id: object, from, request_id: request, live_mode: liveMode } = entry;
  const where = [from.address, from.host].filter((one) => one !== null).join(' · ');
  return (
    <div className="stack">
      <Facts
        facts={[
          [texts.actor, `${texts.kinds[actor.kind]} · ${actor.name ?? actor.id}`],
          [texts.object, object !== null && <ObjectLink id={object} />],
          [texts.from, where !== '' && where],
          [texts.request, request !== null && <Copyable text={request} name={texts.theRequest} />],
        ]}
      />
      {liveMode === null && <p className="soft">{texts.bothModes}</p>}
      <Changes entry={entry} />
      <div className="actions">
        <Button onPress={() => setFilters({ actor: actor.id })}>{texts.onlyActor}</Button>
        {object !== null && <Button onPress={() => setFilters({ object })}>{texts.onlyObject}</Button>}
      </div>
    </div>
  );
}

/** One entry: who did what and when, and at a press what changed. */
export function Entry({ entry }: { entry: AuditLogEntry }) {
  const actions = useTexts(auditActionTexts);
  const actorText = useActorText();
  return (
    <li>
      <details className="panel fold-row">
        <summary>
          <span className="fold-head">
            <strong>{actions[entry.action] ?? entry.action}</strong>
            <span>{actorText(entry.actor)}</span>
            <When at={entry.created} />
          </span>
        </summary>
        <Details entry={entry} />
      </details>
    </li>
  );
}
