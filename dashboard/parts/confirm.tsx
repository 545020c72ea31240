import type { ReactNode } from 'react';
import { useSharedTexts } from '../texts/shared.ts';
import { type SendOptions, useAct } from './act.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

interface ConfirmProps {
  readonly title: string;
  /** The button that does it, in the words of what it does: "Anular fatura". */
  readonly action: string;
  readonly act: (options: SendOptions) => PromiseLike<unknown>;
  /** Said when it is done. */
  readonly done: string;
  readonly isDanger?: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

function Question({ action, act, done, isDanger = false, onClose, children }: ConfirmProps) {
  const { parts } = useSharedTexts();
  const { run, isPending, error } = useAct((_: null, options) => act(options), { done, onDone: onClose });
  return (
    <>
      <div className="dialog-body">{children}</div>
      {error !== null && <ErrorNote error={error} />}
      <div className="dialog-foot">
        <Button onPress={onClose}>{parts.cancel}</Button>
        <Button kind={isDanger ? 'danger' : 'primary'} isPending={isPending} onPress={() => run(null)}>
          {isPending ? parts.working : action}
        </Button>
      </div>
    </>
  );
}

/** Asks before something is done that cannot be taken back. Its key is made when it opens. */
export function Confirm(props: ConfirmProps) {
  const { title, isOpen, onClose } = props;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} isAlert>
      <Question {...props} />
    </Dialog>
  );
}
