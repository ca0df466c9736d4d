import { useEffect, useState } from 'preact/hooks';

/** What is typed into a field. It follows the page while nobody types here. */
export function useTyped(value: string, onType: (text: string) => void) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return {
    value: typed,
    onInput: (text: string) => {
      setTyped(text);
      onType(text);
    },
  };
}
