import { Button as AriaButton } from 'react-aria-components';
import { useSharedTexts } from '../texts/shared.ts';
import { toast } from './toast.tsx';

interface CopyableProps {
  readonly text: string;
  /** What it is, for whoever hears the button: "Copiar txid". */
  readonly name: string;
  /** What is shown, where the text is too long for that. */
  readonly shown?: string;
}

/** A code that people hand on: shown as it is, and copied by one press. */
export function Copyable({ text, name, shown = text }: CopyableProps) {
  const { parts } = useSharedTexts();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    toast(`${parts.copied}: ${name}`);
  };
  return (
    <span className="copyable">
      <code>{shown}</code>
      <AriaButton className="copy" aria-label={`${parts.copy} ${name}`} onPress={() => void copy()}>
        {parts.copy}
      </AriaButton>
    </span>
  );
}
