import { Button } from './controls.tsx';
import { say } from './toasts.tsx';

/** A text with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    say(`${label} copied.`);
  };
  return (
    <span class="copyable">
      <code>{text}</code>
      <Button kind="bare" label={`Copy ${label.toLowerCase()}`} onClick={copy}>
        Copy
      </Button>
    </span>
  );
}
