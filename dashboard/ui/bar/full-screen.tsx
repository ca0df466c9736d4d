import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Icon } from '../icons.tsx';
import { useShortcuts } from '../shortcuts.ts';

/** True while a screen hides everything around it. */
const isFull = signal(false);

const toggle = () => {
  isFull.value = !isFull.value;
};

/** Lets the screen take the whole window: Alt-Enter starts and ends it, Escape ends it. */
export function useFullScreen(): void {
  useShortcuts([
    { keys: 'Alt+Enter', label: t('Full screen'), group: t('This screen'), run: toggle },
    { keys: 'Escape', label: t('Leave full screen'), group: t('This screen') },
  ]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Whoever handled it first, the completion or the search of the editor, has the key.
      if (event.key !== 'Escape' || event.defaultPrevented || !isFull.value) return;
      if (document.querySelector('dialog[open], .menu:popover-open')) return;
      event.preventDefault();
      toggle();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
      isFull.value = false;
      document.documentElement.classList.remove('full-screen');
    };
  }, []);
  useEffect(() => {
    document.documentElement.classList.toggle('full-screen', isFull.value);
  }, [isFull.value]);
}

export function FullScreenButton() {
  return (
    <button
      type="button"
      class={`bar-button ${isFull.value ? '' : 'bar-full'}`}
      aria-label={isFull.value ? t('Leave full screen') : t('Full screen')}
      data-tip={isFull.value ? t('Leave full screen (Escape)') : t('Full screen (Alt-Enter)')}
      onClick={toggle}
    >
      <Icon name={isFull.value ? 'full-screen-exit' : 'full-screen'} size={18} />
    </button>
  );
}
