import { useEffect } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import { useShortcuts } from '../../../ui/index.ts';
import type { VisualEditor } from './visual-editor.ts';

const MOVES: Record<string, 1 | -1> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
const SCROLLS: Record<string, number> = { PageDown: 0.9, PageUp: -0.9, Home: -1000, End: 1000 };

/** Undo and redo anywhere on the screen. Returns what keys do on the page. */
export function useVisualKeys(visual: VisualEditor): (event: KeyboardEvent) => void {
  useShortcuts([
    { keys: 'Mod+Z', label: t('Undo'), group: t('This screen') },
    { keys: 'Mod+Shift+Z', label: t('Redo'), group: t('This screen') },
  ]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      // Fields undo what is typed into them.
      if ((event.target as Element | null)?.closest?.('input, textarea, select, [contenteditable]')) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) visual.redo();
      else visual.undo();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);

  return (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || visual.isTrying.peek()) return;
    const move = MOVES[key];
    const scroll = SCROLLS[key];
    if (move) visual.send({ move });
    else if (scroll) visual.send({ scroll });
    else if (key === 'Enter' || key === 'F2') visual.openChosen();
    else if (key === 'Escape') visual.clear();
    else return;
    event.preventDefault();
  };
}
