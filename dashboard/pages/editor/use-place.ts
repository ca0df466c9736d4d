import { useEffect } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import type { EditedPage } from './work/edited-page.ts';

/** `#app.js:12:5`, as links to a place in the page have it. Without a file, it is in the document. */
const PLACE = /^#(.*?):(\d{1,7})(?::(\d{1,7}))?$/;

type GoTo = (line: number, column?: number, path?: string) => void;

/** Shows the place that the address names, when the editor opens. */
export function usePlace(work: EditedPage, goTo: GoTo): void {
  useEffect(() => {
    const [, file = '', line, column] = PLACE.exec(location.hash) ?? [];
    if (line === undefined) return;
    // Once: the person goes on from there.
    history.replaceState(history.state, '', location.pathname);
    const path = decodeURIComponent(file) || INDEX_PATH;
    if (work.paths().includes(path))
      goTo(Number(line), column === undefined ? undefined : Number(column), path);
  }, []);
}
