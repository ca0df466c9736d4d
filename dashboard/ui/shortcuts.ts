import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts/index.ts';

/** Every keyboard shortcut of the screens that are open. The keyboard help lists them. */

export interface Shortcut {
  /** `Mod+K`, `[`, `Shift+Enter`, or two keys in a row: `g p`. Mod is ⌘ on a Mac and Ctrl elsewhere. */
  keys: string;
  /** What it does: `Save the page`. */
  label: string;
  /** The heading in the help; the screens use `This screen`. */
  group?: string;
  /** Without it the shortcut is only listed, because something else, like the code editor, handles its keys. */
  run?: () => void;
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
/** How long the second key of two in a row can take. */
const PAIR_MS = 1_200;

export const shortcuts = signal<readonly Shortcut[]>([]);

/** Adds shortcuts, and returns a function that removes them. The one added last wins. */
export function addShortcuts(added: readonly Shortcut[]): () => void {
  shortcuts.value = [...shortcuts.value, ...added];
  return () => {
    shortcuts.value = shortcuts.value.filter((shortcut) => !added.includes(shortcut));
  };
}

/** Adds shortcuts while the component is shown, from its first frame on. Only their `run` may change between renders. */
export function useShortcuts(wanted: readonly Shortcut[]): void {
  const latest = useRef(wanted);
  latest.current = wanted;
  const shown = wanted.map(({ keys, label }) => `${keys} ${label}`).join('\n');
  useLayoutEffect(
    () =>
      addShortcuts(
        latest.current.map((shortcut, index) => ({
          ...shortcut,
          ...(shortcut.run && { run: () => latest.current[index]?.run?.() }),
        })),
      ),
    [shown],
  );
}

const NAMES: Record<string, () => string> = {
  Mod: () => (isMac ? '⌘' : t('Ctrl')),
  Shift: () => (isMac ? '⇧' : t('Shift')),
  Alt: () => (isMac ? '⌥' : t('Alt')),
  Enter: () => (isMac ? '↩' : t('Enter')),
  Escape: () => t('Esc'),
};

/** The keys as printed on the keyboard, one after another: `['Ctrl', 'K']`. */
export const keyNames = (keys: string): string[] =>
  keys.split(/(?<=.)[+ ]/).map((key) => NAMES[key]?.() ?? key.toUpperCase());

/** The same key press as written in `Shortcut.keys`. */
function pressed(event: KeyboardEvent): string {
  const isMod = isMac ? event.metaKey : event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isLetter = /^[a-z]$/.test(key);
  // Shift is part of signs like "?".
  const hasShift = event.shiftKey && (isLetter || event.key.length > 1);
  return `${isMod ? 'Mod+' : ''}${event.altKey ? 'Alt+' : ''}${hasShift ? 'Shift+' : ''}${key}`;
}

const normal = (keys: string) => keys.replace(/[A-Z]$/, (letter) => letter.toLowerCase());

/** Single keys are letters of a text while somebody types one. */
function isTyping({ target }: Event): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null
  );
}

let first = { key: '', at: 0 };

/** Runs the shortcut of a key press. Before other listeners, so that Mod+K is the same everywhere. */
function press(event: KeyboardEvent): void {
  if (event.isComposing || event.repeat) return;
  const key = pressed(event);
  const isSingle = !/^(Mod|Alt)\+/.test(key);
  if (
    isSingle &&
    (isTyping(event) || event.metaKey || event.ctrlKey || document.querySelector('dialog[open]'))
  )
    return;
  const pair = Date.now() - first.at < PAIR_MS ? `${first.key} ${key}` : '';
  first = { key, at: Date.now() };
  const found = shortcuts.value.findLast(
    ({ keys, run }) => run && (normal(keys) === key || (pair && normal(keys) === pair)),
  );
  if (!found) return;
  event.preventDefault();
  event.stopPropagation();
  first = { key: '', at: 0 };
  found.run?.();
}

addEventListener('keydown', press, { capture: true });
