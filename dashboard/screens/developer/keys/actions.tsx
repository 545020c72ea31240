import type { ApiKey, RollHours } from '@fatura/sdk';
import { useState } from 'react';
import { useFatura } from '../../../api/queries.ts';
import { useAct } from '../../../parts/act.ts';
import { ActionMenu } from '../../../parts/action-menu.tsx';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNote } from '../../../parts/error-note.tsx';
import { Choice } from '../../../parts/field.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { useSharedTexts } from '../../../texts/shared.ts';
import { EditKeyForm } from './key-form.tsx';
import { keyTexts } from './texts.ts';

/** How long the former key of a roll stays valid, at most last. */
const hoursChoices = ['0', '1', '24', '168'] as const;

type HoursText = (typeof hoursChoices)[number];

interface RollProps {
  readonly apiKey: ApiKey;
  readonly onDone: (key: ApiKey) => void;
  readonly onClose: () => void;
}

function Roll({ apiKey: { id, name }, onDone, onClose }: RollProps) {
  const texts = useTexts(keyTexts);
  const { parts } = useSharedTexts();
  const fatura = useFatura();
  const [hours, setHours] = useState<HoursText>('24');
  const { run, isPending, error } = useAct(
    (stays: HoursText, options) => fatura.apiKeys.roll(id, { hours: Number(stays) as RollHours }, options),
    { done: texts.rolledNow, onDone },
  );
  return (
    <>
      <div className="dialog-body">
        <p>{texts.rollText(name)}</p>
        <Choice
          label={texts.hours}
          value={hours}
          options={hoursChoices.map((one) => [one, texts.hoursOf[one]] as const)}
          onChange={setHours}
        />
      </div>
      {error !== null && <ErrorNote error={error} />}
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.cancel}</Button>
        <Button kind="primary" isPending={isPending} onPress={() => run(hours)}>
          {isPending ? parts.working : texts.roll}
        </Button>
      </div>
    </>
  );
}

interface KeyActionsProps {
  readonly apiKey: ApiKey;
  /** Whether the mode has no other valid key that may do everything. */
  readonly isLastFull: boolean;
  readonly onSecret: (key: ApiKey) => void;
}

type Asking = 'edit' | 'roll' | 'revoke' | null;

/** What can be done with a key; of one that is over, nothing. */
export function KeyActions({ apiKey, isLastFull, onSecret }: KeyActionsProps) {
  const texts = useTexts(keyTexts);
  const fatura = useFatura();
  const [asking, setAsking] = useState<Asking>(null);
  const close = (): void => setAsking(null);
  const { id, name, hint, status, replaced_by: successor } = apiKey;
  const over = status === 'valid' ? null : texts.isOver;
  const rolled = (key: ApiKey): void => {
    close();
    onSecret(key);
  };
  return (
    <>
      <ActionMenu
        of={name}
        actions={[
          { id: 'edit', name: texts.edit, run: () => setAsking('edit'), refused: over },
          {
            id: 'roll',
            name: texts.roll,
            run: () => setAsking('roll'),
            refused: over ?? (successor === null ? null : texts.isRolled),
          },
          {
            id: 'revoke',
            name: texts.revoke,
            run: () => setAsking('revoke'),
            refused: over ?? (isLastFull ? texts.lastFull : null),
            isDanger: true,
          },
        ]}
      />
      <Dialog title={texts.edit} isOpen={asking === 'edit'} onClose={close}>
        <EditKeyForm apiKey={apiKey} onClose={close} />
      </Dialog>
      <Dialog title={texts.roll} isOpen={asking === 'roll'} onClose={close}>
        <Roll apiKey={apiKey} onDone={rolled} onClose={close} />
      </Dialog>
      <Confirm
        title={texts.revoke}
        action={texts.revoke}
        act={() => fatura.apiKeys.revoke(id)}
        done={texts.revoked}
        isDanger
        isOpen={asking === 'revoke'}
        onClose={close}
      >
        <p>{texts.revokeText(name, hint)}</p>
      </Confirm>
    </>
  );
}
