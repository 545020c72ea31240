import type { ReactNode } from 'react';
import { Button as AriaButton, Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** A question that is answered before anything else. */
  readonly isAlert?: boolean;
  readonly children: ReactNode;
}

/** A window over the page. What is in it is made anew each time that it opens. */
export function Dialog({ title, isOpen, onClose, isAlert = false, children }: DialogProps) {
  const { parts } = useSharedTexts();
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable={!isAlert}
    >
      <Modal className="modal">
        <AriaDialog className="dialog" role={isAlert ? 'alertdialog' : 'dialog'}>
          <div className="dialog-head">
            <Heading slot="title">{title}</Heading>
            <AriaButton className="close" aria-label={parts.close} onPress={onClose}>
              <svg viewBox="0 0 16 16" aria-hidden="true">
                <path d="M3 3l10 10M13 3L3 13" />
              </svg>
            </AriaButton>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface FormFootProps {
  /** What the form does, in a word. */
  readonly action: string;
  readonly isPending: boolean;
  readonly onClose: () => void;
}

/** The end of a form in a window: the way out, and the button that sends it. */
export function FormFoot({ action, isPending, onClose }: FormFootProps) {
  const { parts } = useSharedTexts();
  return (
    <div className="dialog-foot">
      <Button onPress={onClose}>{parts.cancel}</Button>
      <Button kind="primary" type="submit" isPending={isPending}>
        {isPending ? parts.working : action}
      </Button>
    </div>
  );
}
