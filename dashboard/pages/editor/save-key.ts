import { useEffect, useRef } from 'preact/hooks';

/** Saves on Ctrl-S or ⌘S anywhere on the screen. The code editor handles the key first, which sets `defaultPrevented`. */
export function useSaveKey(save: () => unknown): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey);
      if (!isSave || event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      // An open dialog must be closed first.
      if (!document.querySelector('dialog[open]')) latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
