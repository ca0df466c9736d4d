import { useRef } from 'preact/hooks';
import { Button } from '../../ui/index.ts';
import { type Chosen, readInput } from './chosen.ts';

interface ChooseProps {
  children: string;
  onChoose: (chosen: Chosen) => unknown;
  /** Chooses a whole folder instead of files. */
  isFolder?: boolean;
  accept?: string;
  disabled?: boolean;
}

/** A button that opens the system's dialog for files, for those who cannot drag them. */
export function ChooseButton({ children, onChoose, isFolder, accept, disabled = false }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple={!accept}
        hidden
        aria-label={children}
        {...(accept && { accept })}
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          onChoose(readInput(currentTarget));
          // Otherwise choosing the same file again would not fire the event.
          currentTarget.value = '';
        }}
      />
      <Button kind="quiet" disabled={disabled} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
}
