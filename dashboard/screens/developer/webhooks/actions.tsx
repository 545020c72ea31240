import type { WebhookEndpoint, WebhookTest } from '@fatura/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../../api/may.ts';
import { useFatura } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { type Action, ActionMenu } from '../../../parts/action-menu.tsx';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { useErrorSentence } from '../../../parts/error-note.tsx';
import { Facts } from '../../../parts/page.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { ShownOnce } from '../shown-once.tsx';
import { EndpointForm, type WrittenEndpoint } from './endpoint-form.tsx';
import { AnswerOf } from './ladders.tsx';
import { webhookTexts } from './texts.ts';

type Asking = 'edit' | 'rotate' | 'disable' | 'delete' | null;

/** What the receiver said to a test. */
function TestResult({ result, onClose }: { result: WebhookTest; onClose: () => void }) {
  const texts = useTexts(webhookTexts);
  const { parts } = useSharedTexts();
  return (
    <Dialog title={texts.testTitle} isOpen onClose={onClose}>
      <p className={result.delivered ? 'note' : 'note warn'} role="status">
        {result.delivered ? texts.testDelivered : texts.testRefused}
      </p>
      <Facts
        facts={[
          [texts.code, <AnswerOf key="code" {...result} />],
          [texts.duration, texts.ms(result.duration_ms)],
        ]}
      />
      <p className="soft">{texts.testText}</p>
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.close}</Button>
      </div>
    </Dialog>
  );
}

function Edit({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const texts = useTexts(webhookTexts);
  const fatura = useFatura();
  const act = useAct(
    (written: WrittenEndpoint, options) => fatura.webhookEndpoints.update(endpoint.id, written, options),
    { done: texts.saved, onDone: onClose },
  );
  return <EndpointForm endpoint={endpoint} action={texts.save} act={act} onClose={onClose} />;
}

interface QuestionsProps {
  readonly endpoint: WebhookEndpoint;
  readonly asking: Asking;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** What is asked before it is done. */
function Questions({ endpoint: { id }, asking, onClose, onSecret }: QuestionsProps) {
  const texts = useTexts(webhookTexts);
  const fatura = useFatura();
  const navigate = useNavigate();
  return (
    <>
      <Confirm
        title={texts.rotate}
        action={texts.rotate}
        act={async (options) => onSecret((await fatura.webhookEndpoints.rotateSecret(id, options)).secret ?? '')}
        done={texts.rotated}
        isOpen={asking === 'rotate'}
        onClose={onClose}
      >
        <p>{texts.rotateText}</p>
      </Confirm>
      <Confirm
        title={texts.disable}
        action={texts.disable}
        act={(options) => fatura.webhookEndpoints.update(id, { status: 'disabled' }, options)}
        done={texts.disabledNow}
        isDanger
        isOpen={asking === 'disable'}
        onClose={onClose}
      >
        <p>{texts.disableText}</p>
      </Confirm>
      <Confirm
        title={texts.delete}
        action={texts.delete}
        act={async () => {
          await fatura.webhookEndpoints.delete(id);
          await navigate({ to: '/developer/webhooks' });
        }}
        done={texts.deleted}
        isDanger
        isOpen={asking === 'delete'}
        onClose={onClose}
      >
        <p>{texts.deleteText}</p>
      </Confirm>
    </>
  );
}

interface MenuProps {
  readonly endpoint: WebhookEndpoint;
  readonly ask: (asking: Asking) => void;
  readonly enable: () => void;
}

function useMenu({ endpoint: { status }, ask, enable }: MenuProps): Action[] {
  const texts = useTexts(webhookTexts);
  const role = useRoleRefusal();
  const isOff = status === 'disabled';
  return [
    { id: 'edit', name: texts.edit, run: () => ask('edit'), refused: role('webhookEndpoints.update') },
    { id: 'rotate', name: texts.rotate, run: () => ask('rotate'), refused: role('webhookEndpoints.rotateSecret') },
    {
      id: 'enable',
      name: texts.enable,
      run: enable,
      // One that is unstable has its failures forgotten so.
      refused: role('webhookEndpoints.enable') ?? (status === 'active' ? texts.isOn : null),
    },
    {
      id: 'disable',
      name: texts.disable,
      run: () => ask('disable'),
      refused: role('webhookEndpoints.update') ?? (isOff ? texts.isOff : null),
      isDanger: true,
    },
    {
      id: 'delete',
      name: texts.delete,
      run: () => ask('delete'),
      refused: role('webhookEndpoints.delete'),
      isDanger: true,
    },
  ];
}

/** What can be done with an endpoint; a test first. */
export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const texts = useTexts(webhookTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const sentence = useErrorSentence();
  const mayTest = useRoleRefusal()('webhookEndpoints.test') === null;
  const [asking, setAsking] = useState<Asking>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [tested, setTested] = useState<WebhookTest | null>(null);
  const test = useAct((id: string, options) => fatura.webhookEndpoints.test(id, options), { onDone: setTested });
  const enable = useAct((id: string, options) => fatura.webhookEndpoints.enable(id, options), {
    done: texts.enabledNow,
  });
  const close = (): void => setAsking(null);
  const actions = useMenu({ endpoint, ask: setAsking, enable: () => enable.run(endpoint.id) });
  const error = test.error ?? enable.error;
  return (
    <>
      {error !== null && <span role="alert">{sentence(error)}</span>}
      {mayTest && (
        <Button kind="primary" isPending={test.isPending} onPress={() => test.run(endpoint.id)}>
          {test.isPending ? parts.working : texts.test}
        </Button>
      )}
      <ActionMenu actions={actions} />
      <Dialog title={texts.edit} isOpen={asking === 'edit'} onClose={close}>
        <Edit endpoint={endpoint} onClose={close} />
      </Dialog>
      <Questions endpoint={endpoint} asking={asking} onClose={close} onSecret={setSecret} />
      {tested !== null && <TestResult result={tested} onClose={() => setTested(null)} />}
      {secret !== null && (
        <ShownOnce title={texts.secret} secret={secret} name={texts.theSecret} onClose={() => setSecret(null)} />
      )}
    </>
  );
}
