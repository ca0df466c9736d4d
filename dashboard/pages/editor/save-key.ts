import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { useShortcuts } from '../../ui/index.ts';
import type { EditedPage } from './work/edited-page.ts';

/**
 * Saves on Ctrl-S or ⌘S and publishes with Shift, anywhere on the screen. The code editor handles Ctrl-S first, which sets
 * `defaultPrevented`.
 */
export function useSaveKeys(work: EditedPage): void {
  const latest = useRef(work);
  latest.current = work;
  useShortcuts([
    {
      keys: 'Mod+S',
      label: work.isPublished ? t('Save a draft') : t('Save the page'),
      group: t('This screen'),
    },
    { keys: 'Mod+Shift+S', label: t('Publish'), group: t('This screen') },
    { keys: 'Mod+F', label: t('Find in the file'), group: t('This screen') },
  ]);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey);
      if (!isSave || event.altKey || event.defaultPrevented) return;
      event.preventDefault();
      // An open dialog must be closed first.
      if (document.querySelector('dialog[open]')) return;
      if (event.shiftKey) latest.current.publish();
      else latest.current.save();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
