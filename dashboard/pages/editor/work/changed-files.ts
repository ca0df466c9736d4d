import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { affected, renamed } from '../../../editor/files/index.ts';
import { replaceByZip, replaceFiles, type SendOptions } from '../../files/api.ts';
import type { Edits } from './edits.ts';
import { type FileChange, faultOfChange, removing, renaming } from './file-changes.ts';
import type { KnownPage } from './known-page.ts';
import type { OpenFiles } from './open-files.ts';
import { retryOnConflict } from './retry.ts';

/** The page whose files change. */
interface Changed {
  pageId: number;
  known: KnownPage;
  edits: Edits;
  open: OpenFiles;
  settle(): void;
  /** Puts what is saved into the editors. */
  showSaved(): Promise<void>;
  /** Puts the saved texts of these files back. */
  discard(paths: string[]): Promise<void>;
}

/** Adds, renames and removes files. Unlike texts, these changes are made at once, in the draft if one is open. */
export class ChangedFiles {
  constructor(private readonly changed: Changed) {}

  rename = async (from: string, to: string) => {
    const { known, edits, open, settle } = this.changed;
    if (affected(known.files?.keys() ?? [], from).length > 0) await this.#change(renaming(from, to));
    for (const path of affected(edits.paths(), from)) edits.move(path, renamed(path, from, to));
    for (const path of affected(open.paths, from)) open.rename(path, renamed(path, from, to));
    settle();
  };

  remove = async (path: string) => {
    const { known, edits, open, settle } = this.changed;
    if (affected(known.files?.keys() ?? [], path).length > 0) await this.#change(removing(path));
    for (const each of affected(edits.paths(), path)) edits.drop(each);
    for (const each of affected(open.paths, path)) open.close(each);
    settle();
  };

  /** Adds files. What was written into those that they replace is discarded. */
  add = async (change: FileChange, isReplaced: (path: string) => boolean, options: SendOptions) => {
    const { edits, discard } = this.changed;
    await this.#change(change, options);
    await discard(edits.paths().filter(isReplaced));
  };

  /** Replaces all files, and the page's HTML, with the content of an archive. */
  replaceByZip = async (zip: Blob, options: SendOptions) => {
    const { pageId, known, edits, discard } = this.changed;
    await replaceByZip(pageId, zip, { ...options, ...known.target });
    await known.refresh();
    await discard(edits.paths());
  };

  /** Changes the files in a new version, on top of what others may have saved. */
  async #change(change: FileChange, options: SendOptions = {}): Promise<void> {
    const { pageId, known, showSaved } = this.changed;
    await known.loadFiles();
    await retryOnConflict(known, async () => {
      const files = await known.loadFiles();
      const set = change(files);
      const fault = faultOfChange(set, files);
      if (fault) throw new Error(fault);
      const answer = await replaceFiles(pageId, set, { ...options, ...known.target });
      if (set.sent.has(INDEX_PATH)) await known.refresh();
      else known.adopt(answer, answer.files, new Map());
    });
    await showSaved();
  }
}
