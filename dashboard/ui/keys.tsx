import { keyNames } from './shortcuts.ts';

/** The keys of a shortcut as they are printed on the keyboard. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span class="keys">
      {keyNames(keys).map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}
