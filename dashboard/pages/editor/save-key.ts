import { useEffect, useRef } from 'preact/hooks';

/** Ctrl-S or ⌘S saves wherever the cursor is; the code's own binding comes first and marks the key as used. */
export function useSaveKey(save: () => unknown): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey);
      if (!isSave || event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      // A question that is open has to be answered first.
      if (!document.querySelector('dialog[open]')) latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
