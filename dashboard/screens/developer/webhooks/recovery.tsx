import { isFaturaError, type WebhookEndpoint, type WebhookRecovery } from '@fatura/sdk';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura, useRead, useRefresh } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { Choice, Field } from '../../../parts/field.tsx';
import { instantOfText, textOfInstant } from '../../../parts/local-time.ts';
import { Panel } from '../../../parts/page.tsx';
import { useNow } from '../../../parts/period.ts';
import { Status } from '../../../parts/status.tsx';
import { When } from '../../../parts/when.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { webhookTexts } from './texts.ts';

const LOOK_AGAIN_MS = 1_500;
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How far back. The service takes 30 days; the minute is for the way there. Seconds. */
const spans = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY - 60 } as const;

type Span = keyof typeof spans | 'other';

/** The newest recovery of an endpoint, looked at until it is done; null: there was none. */
function useRecovery(id: string) {
  const refresh = useRefresh();
  const [isRunning, setRunning] = useState(false);
  return useRead(
    ['recoveries', id],
    async (fatura, options): Promise<WebhookRecovery | null> => {
      try {
        const recovery = await fatura.webhookEndpoints.retrieveRecovery(id, options);
        const runs = recovery.status === 'running';
        setRunning(runs);
        // What it sent stands in the list below.
        if (isRunning && !runs) void refresh();
        return recovery;
      } catch (error) {
        if (isFaturaError(error, 'RESOURCE_MISSING')) return null;
        throw error;
      }
    },
    { everyMs: isRunning ? LOOK_AGAIN_MS : false },
  );
}

function Progress({ recovery: { status, events, since } }: { recovery: WebhookRecovery }) {
  const texts = useTexts(webhookTexts);
  return (
    <p className="payment-head" role="status">
      <Status tone={status === 'running' ? 'calm' : 'good'}>{texts.recoveries[status]}</Status>
      <span>
        {texts.recovered(events)}, {texts.recoveredSince} <When at={since} />
      </span>
    </p>
  );
}

interface SinceProps {
  readonly now: number;
  readonly send: (since: number) => void;
  readonly isPending: boolean;
}

function Since({ now, send, isPending }: SinceProps) {
  const texts = useTexts(webhookTexts);
  const { parts } = useSharedTexts();
  const [span, setSpan] = useState<Span>('day');
  const [written, setWritten] = useState(() => textOfInstant(now - DAY));
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const since = span === 'other' ? instantOfText(written) : now - spans[span];
    setWrong(since === null || since >= now);
    if (since !== null && since < now) send(since);
  };
  return (
    <Form className="form" onSubmit={submit} validationBehavior="aria">
      <Choice
        label={texts.since}
        value={span}
        options={(['hour', 'day', 'week', 'month', 'other'] as const).map((one) => [one, texts.spans[one]] as const)}
        onChange={setSpan}
      />
      {span === 'other' && (
        <Field
          label={texts.sinceWhen}
          type="datetime-local"
          value={written}
          onChange={setWritten}
          isInvalid={isWrong}
          {...(isWrong && { errorMessage: texts.noInstant })}
          isRequired
        />
      )}
      <Button type="submit" isPending={isPending}>
        {isPending ? parts.working : texts.recover}
      </Button>
    </Form>
  );
}

/** Sends again what an endpoint did not accept since an instant, and tells how far that is. */
export function Recovery({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const texts = useTexts(webhookTexts);
  const fatura = useFatura();
  const now = useNow();
  const role = useRoleRefusal();
  const { data: newest, error } = useRecovery(id);
  const recover = useAct((since: number, options) => fatura.webhookEndpoints.recover(id, { since }, options), {
    done: texts.recovering,
  });
  const isRunning = newest?.status === 'running';
  const refused =
    role('webhookEndpoints.recover') ??
    (status === 'disabled' ? texts.offFirst : null) ??
    (isRunning ? texts.runs : null);
  return (
    <Panel title={texts.recover}>
      <p className="soft">{texts.recoverText}</p>
      {error !== null && <ErrorNote error={error} />}
      {newest != null && <Progress recovery={newest} />}
      {recover.error !== null && <ErrorNote error={recover.error} />}
      {refused !== null && <p className="soft">{refused}</p>}
      {refused === null && now !== undefined && (
        <Since now={now} send={(since) => recover.run(since)} isPending={recover.isPending} />
      )}
    </Panel>
  );
}
