import type { EditedPage } from '../work/edited-page.ts';
import { LiveChange } from './live-change.ts';
import type { Change } from './source/change.ts';
import type { DocumentMap } from './source/document-map.ts';
import type { TextRange } from './source/text-range.ts';

/** What a person is changing right now, in one or more files. */
export class LiveEdit {
  readonly #files = new Map<string, LiveChange>();

  constructor(
    /** Changes of the same thing belong to the same edit. */
    readonly key: string,
    /** The document before the edit. */
    readonly base: DocumentMap,
    private readonly work: EditedPage,
    /** The text that somebody types into. */
    readonly range?: TextRange,
  ) {}

  /** Returns false if a file is not what it was when the edit started, or has no editor. */
  update(changes: ReadonlyMap<string, Change[]>): boolean {
    for (const [path, list] of changes) {
      const editor = this.work.open.editor(path);
      if (!editor) return false;
      const file = this.#files.get(path) ?? new LiveChange(editor);
      this.#files.set(path, file);
      if (!file.update(list)) return false;
    }
    return true;
  }

  /** Makes it one step to undo. Returns the paths of the files that have changed. */
  finish(): string[] {
    const changed = [...this.#files].filter(([, file]) => file.hasChanged);
    for (const [, file] of changed) file.finish();
    return changed.map(([path]) => path);
  }
}
