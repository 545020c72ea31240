import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useTexts } from '../../texts/language.tsx';
import { developerTexts } from './texts.ts';

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  /** What it is, for whoever hears the button. */
  readonly name: string;
  readonly onClose: () => void;
}

/** A secret that no later answer has. A press beside the window does not close it. */
export function ShownOnce({ title, secret, name, onClose }: ShownOnceProps) {
  const texts = useTexts(developerTexts);
  return (
    <Dialog title={title} isOpen onClose={onClose} isAlert>
      <div className="dialog-body">
        <p>{texts.onlyNow}</p>
        <p className="secret">
          <Copyable text={secret} name={name} />
        </p>
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onPress={onClose}>
          {texts.kept}
        </Button>
      </div>
    </Dialog>
  );
}
