import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import type { Editor } from '../../../editor/index.tsx';
import { isHtml } from '../../files/kind.ts';

/** Editors that stay behind the current one, with their cursor and undo history. */
const MAX_OPEN = 12;

interface OpenEditor {
  editor: Editor;
  /** The stamp of the saved file that it was filled from. */
  stamp: string | undefined;
}

/** The files that are open, and their editors. */
export class OpenFiles {
  /** The path of the file that is shown. */
  current = INDEX_PATH;
  /** The HTML file that the preview shows. */
  previewed = INDEX_PATH;
  /** Those opened last come last. */
  paths: string[] = [INDEX_PATH];
  readonly #editors = new Map<string, OpenEditor>();
  #waiting: Array<{ path: string; work: (editor: Editor) => void }> = [];

  show(path: string): void {
    this.current = path;
    if (isHtml(path)) this.previewed = path;
    this.open(path);
  }

  /** Opens a file behind the current one. */
  open(path: string): void {
    // In place: moving an editor in the document would lose its scroll position.
    if (!this.paths.includes(path)) this.paths = [...this.paths, path];
    const oldest = this.paths.find(
      (each) => ![path, this.current, this.previewed, INDEX_PATH].includes(each),
    );
    if (this.paths.length > MAX_OPEN && oldest) this.#forget(oldest);
  }

  close(path: string): void {
    this.#forget(path);
    if (this.previewed === path) this.previewed = INDEX_PATH;
    if (this.current === path) this.show(INDEX_PATH);
  }

  rename(from: string, to: string): void {
    if (!this.paths.includes(from)) return;
    const isShown = this.current === from;
    this.close(from);
    if (isShown) this.show(to);
  }

  attach(path: string, editor: Editor, stamp: string | undefined): void {
    this.#editors.set(path, { editor, stamp });
    const ready = this.#waiting.filter((each) => each.path === path);
    this.#waiting = this.#waiting.filter((each) => each.path !== path);
    for (const { work } of ready) work(editor);
  }

  /** Does something with the editor of a file, at once or as soon as it is there. */
  whenAttached(path: string, work: (editor: Editor) => void): void {
    const editor = this.editor(path);
    if (editor) work(editor);
    else this.#waiting.push({ path, work });
  }

  editor = (path: string) => this.#editors.get(path)?.editor;

  /** Files whose saved content is not the one that their editor was filled from. */
  outdated(findStamp: (path: string) => string | undefined): string[] {
    return [...this.#editors].filter(([path, { stamp }]) => stamp !== findStamp(path)).map(([path]) => path);
  }

  /** Records that the editor shows this state of the file. */
  markFresh(path: string, stamp: string | undefined): void {
    const open = this.#editors.get(path);
    if (open) open.stamp = stamp;
  }

  #forget(path: string): void {
    this.paths = this.paths.filter((each) => each !== path);
    this.#editors.delete(path);
  }
}
