import { useEffect, useRef, useState } from 'preact/hooks';
import { type Chosen, readTransfer } from './chosen.ts';

interface DropOptions {
  /** `place` is the element that the files were dropped on. */
  onDrop: (chosen: Promise<Chosen>, place: Element | undefined) => unknown;
  /** Takes files from the clipboard. */
  onPaste?: (chosen: Promise<Chosen>) => unknown;
}

/**
 * Takes files that are dropped anywhere on the window. Without it, the browser would leave the dashboard to show the
 * file. Returns the element under the pointer while files are dragged over the window.
 */
export function useFileDrop(options: DropOptions): Element | undefined {
  const [over, setOver] = useState<Element>();
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return;
      claim(event);
      const isBlocked = isDialogOpen();
      event.dataTransfer.dropEffect = isBlocked ? 'none' : 'copy';
      setOver(isBlocked ? undefined : toElement(event));
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(undefined);
    };
    const drop = (event: DragEvent) => {
      setOver(undefined);
      if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return;
      claim(event);
      if (!isDialogOpen()) latest.current.onDrop(readTransfer(event.dataTransfer), toElement(event));
    };
    const paste = (event: ClipboardEvent) => {
      const { clipboardData } = event;
      if (!latest.current.onPaste || !clipboardData || !hasFiles(clipboardData) || isDialogOpen()) return;
      // Office programs put a picture of the text on the clipboard too.
      if (clipboardData.types.includes('text/plain')) return;
      claim(event);
      latest.current.onPaste(readTransfer(clipboardData));
    };
    // Before the code editor, which would insert the text of the file.
    const early = { capture: true };
    addEventListener('dragenter', drag, early);
    addEventListener('dragover', drag, early);
    addEventListener('dragleave', leave, early);
    addEventListener('drop', drop, early);
    addEventListener('paste', paste, early);
    return () => {
      removeEventListener('dragenter', drag, early);
      removeEventListener('dragover', drag, early);
      removeEventListener('dragleave', leave, early);
      removeEventListener('drop', drop, early);
      removeEventListener('paste', paste, early);
    };
  }, []);
  return over;
}

const hasFiles = ({ types }: DataTransfer) => types.includes('Files');

const toElement = ({ target }: Event) => (target instanceof Element ? target : undefined);

const isDialogOpen = () => document.querySelector('dialog[open]') !== null;

function claim(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
