import { signal } from '@preact/signals';
import type { PageWarning } from '../../../../contract/pages.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { ApiError, isLoggedOut, isShownByNotice } from '../../../api.ts';
import { affected, renamed } from '../../../editor/files/index.ts';
import type { Editor } from '../../../editor/index.tsx';
import { say } from '../../../ui/index.ts';
import { type PageDetail, screenOf } from '../../api.ts';
import { replaceByZip, replaceFiles, type SendOptions } from '../../files/api.ts';
import { isHtml } from '../../files/kind.ts';
import { type Conflict, Edits } from './edits.ts';
import { type FileChange, faultOfChange, removing, renaming } from './file-changes.ts';
import { KnownPage } from './known-page.ts';
import { OpenFiles } from './open-files.ts';
import { faultOfTexts, sendTexts } from './save.ts';

/** The preview, the size and the draft are updated this long after the last key. */
const SETTLE_MS = 400;
/** How often a change is tried again after someone else saved a version meanwhile. */
const MAX_ATTEMPTS = 3;

/** What the component passes in at each render. */
interface Props {
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
}

/** A page and its files while they are edited. Texts wait for Save; all other changes of files are saved at once. */
export class EditedPage {
  readonly known: KnownPage;
  readonly edits: Edits;
  readonly open = new OpenFiles();
  /** The unsaved texts by path, updated a moment after the last key. */
  settled: ReadonlyMap<string, string>;
  /** Those that documents can refer to. The same map while they do not change. */
  settledFiles: ReadonlyMap<string, string>;
  /** False until the files are listed. Until then the preview would not find them. */
  isReady = false;
  /** Why the last attempt to save failed. */
  failure: Error | undefined;
  /** What the service said about the HTML that was saved last. */
  warnings: PageWarning[] = [];
  /** Files that someone else changed in the meantime. */
  conflicts: Conflict[] = [];
  readonly #revision = signal(0);
  #isSaving = false;
  /** True if the browser has stored the draft. */
  #isStored = true;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    userId: number,
    private props: Props,
  ) {
    const { page } = props;
    this.known = new KnownPage(page.id, page);
    this.edits = new Edits(page.id, userId, this.known);
    this.settled = this.edits.all();
    this.settledFiles = withoutHtml(this.settled);
  }

  /** Components that call this are rendered again when anything changes. */
  watch(): void {
    this.#revision.value;
  }

  get isDirty(): boolean {
    return this.edits.size > 0;
  }

  /** The text as it is now, unsaved changes included. Undefined if it is not read yet or not text. */
  textNow = (path: string) => this.edits.text(path) ?? this.known.textNow(path);

  /** All paths, with those of new files that are not saved. */
  paths(): string[] {
    return [...new Set([INDEX_PATH, ...(this.known.files?.keys() ?? []), ...this.edits.paths()])];
  }

  update(props: Props): void {
    this.props = props;
  }

  loadFiles = async () => {
    try {
      await this.known.loadFiles();
    } finally {
      this.isReady = true;
      this.#announce();
    }
  };

  /** Reads the saved text of a file, which the preview may show too. Undefined if it is not text. */
  load = async (path: string) => {
    const text = await this.known.text(path);
    this.#announce();
    return text;
  };

  show = (path: string) => {
    this.open.show(path);
    this.#announce();
  };

  attach = (path: string, editor: Editor) => this.open.attach(path, editor, this.known.stamp(path));

  /** In the page's HTML. */
  goTo = (line: number, column?: number) => {
    this.show(INDEX_PATH);
    // The editor may have been hidden, and cannot scroll before it is shown.
    requestAnimationFrame(() => this.open.editor(INDEX_PATH)?.goTo(line, column));
  };

  change = (path: string, text: string) => {
    const wasEdited = this.edits.has(path);
    this.edits.set(path, text);
    // Not for every key: a large tree takes a moment to render.
    if (this.edits.has(path) !== wasEdited) this.#announce();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.settle, SETTLE_MS);
  };

  create = (path: string) => {
    this.change(path, '');
    this.show(path);
  };

  /** Updates the preview and stores the draft. */
  settle = () => {
    clearTimeout(this.#settling);
    this.settled = this.edits.all();
    const files = withoutHtml(this.settled);
    if (!isSame(files, this.settledFiles)) this.settledFiles = files;
    this.#isStored = this.edits.store();
    this.#announce();
  };

  /** Saves all texts in one version, unless someone else has changed one of them too. */
  save = async () => {
    if (!this.isDirty) return say(`No changes: version ${this.known.version} is saved.`);
    this.settle();
    const fault = faultOfTexts(this.edits.all());
    if (fault) return this.#fail(new Error(fault));
    await this.#saveEdits().catch(this.#fail);
  };

  keepMine = async () => {
    for (const { path } of this.conflicts) this.edits.acceptSaved(path);
    this.conflicts = [];
    await this.#saveEdits();
  };

  takeTheirs = async () => {
    const paths = this.conflicts.map(({ path }) => path);
    this.conflicts = [];
    await this.#discard(paths);
  };

  goOn = () => {
    this.conflicts = [];
    this.#announce();
  };

  discardRestored = () => this.#discard(this.edits.paths());

  /** Changes the files in a new version, on top of what others may have saved. */
  changeFiles = async (change: FileChange, options: SendOptions = {}) => {
    await this.known.loadFiles();
    await this.#withoutConflict(async () => {
      const files = await this.known.loadFiles();
      const set = change(files);
      const fault = faultOfChange(set, files);
      if (fault) throw new Error(fault);
      const baseVersion = this.known.version;
      const answer = await replaceFiles(this.props.page.id, set, { ...options, baseVersion });
      if (set.sent.has(INDEX_PATH)) await this.known.refresh();
      else this.known.adopt(answer.version, answer.files, new Map());
    });
    await this.#showSaved();
  };

  rename = async (from: string, to: string) => {
    if (affected(this.known.files?.keys() ?? [], from).length > 0) await this.changeFiles(renaming(from, to));
    for (const path of affected(this.edits.paths(), from)) this.edits.move(path, renamed(path, from, to));
    for (const path of affected(this.open.paths, from)) this.open.rename(path, renamed(path, from, to));
    this.settle();
  };

  remove = async (path: string) => {
    if (affected(this.known.files?.keys() ?? [], path).length > 0) await this.changeFiles(removing(path));
    for (const each of affected(this.edits.paths(), path)) this.edits.drop(each);
    for (const each of affected(this.open.paths, path)) this.open.close(each);
    this.settle();
  };

  /** Adds files. What was written into those that they replace is discarded. */
  add = async (change: FileChange, isReplaced: (path: string) => boolean, options: SendOptions) => {
    await this.changeFiles(change, options);
    await this.#discard(this.edits.paths().filter(isReplaced));
  };

  /** Replaces all files, and the page's HTML, with the content of an archive. */
  replaceByZip = async (zip: Blob, options: SendOptions) => {
    await replaceByZip(this.props.page.id, zip, options);
    await this.known.refresh();
    await this.#discard(this.edits.paths());
  };

  /** True if leaving loses changes. The draft is kept for the other tabs of this page, and for the next login. */
  wouldLose = (to?: string): boolean => {
    if (!this.isDirty) return false;
    this.settle();
    const home = screenOf(this.props.page.id);
    const isNear = to === undefined ? isLoggedOut.value : to === home || to.startsWith(`${home}/`);
    return !this.#isStored || !isNear;
  };

  dismissWarnings = () => this.#warn([]);

  #announce(): void {
    this.#revision.value = this.#revision.peek() + 1;
  }

  async #saveEdits(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    this.failure = undefined;
    try {
      await this.#withoutConflict(async () => {
        this.conflicts = await this.edits.conflicts();
        if (this.conflicts.length > 0) return;
        if (!this.isDirty) return say(`Version ${this.known.version} already has this text.`);
        const sent = this.edits.all();
        const { version, files, warnings } = await sendTexts(this.props.page.id, this.known, sent);
        this.known.adopt(version, files, sent);
        this.edits.markSaved(sent);
        for (const path of sent.keys()) this.open.markFresh(path, this.known.stamp(path));
        if (sent.has(INDEX_PATH)) this.#warn(warnings);
        say(`Saved as version ${version}.`);
      });
      await this.#showSaved();
    } finally {
      this.#isSaving = false;
    }
  }

  /** Tries again if someone else saved a version meanwhile. */
  async #withoutConflict(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
        await this.known.refresh();
      }
    }
  }

  /** Puts what is saved into the editors of files without unsaved changes. */
  async #showSaved(): Promise<void> {
    for (const path of this.open.outdated((each) => this.known.stamp(each))) {
      if (this.edits.has(path)) continue;
      const text = await this.known.text(path);
      if (text === undefined) this.open.close(path);
      else this.#fill(path, text);
    }
    this.settle();
    const { html: html_content, version: versionCount } = this.known;
    const updated_at = new Date().toISOString();
    this.props.onSaved({ ...this.props.page, html_content, versionCount, updated_at });
  }

  /** Puts the saved texts back. Undo in the editor restores the others. */
  async #discard(paths: string[]): Promise<void> {
    for (const path of paths) {
      this.edits.drop(path);
      const text = await this.known.text(path);
      if (text === undefined) this.open.close(path);
      else this.#fill(path, text);
    }
    if (paths.includes(INDEX_PATH)) this.#warn([]);
    this.failure = undefined;
    await this.#showSaved();
  }

  #fill(path: string, text: string): void {
    this.open.editor(path)?.setText(text);
    this.open.markFresh(path, this.known.stamp(path));
    // The editor has reported the text as a change, with its own line breaks.
    this.edits.drop(path);
  }

  #fail = (error: Error) => {
    const stored = this.#isStored ? ' Your changes are stored in this browser.' : '';
    if (isShownByNotice(error)) return say(`Not saved.${stored}`, 'bad');
    this.failure = new Error(`Not saved. ${error.message}${stored}`);
    this.#announce();
  };

  #warn(warnings: PageWarning[]): void {
    this.warnings = warnings;
    // The text may have changed meanwhile. Then the lines are wrong, and the list is shown without marks.
    const isCurrent = !this.edits.has(INDEX_PATH);
    const marks = warnings.flatMap(({ message, line, column = 1 }) =>
      isCurrent && line !== undefined ? [{ line, column, message, severity: 'warning' as const }] : [],
    );
    this.open.editor(INDEX_PATH)?.mark(marks);
    this.#announce();
  }
}

const withoutHtml = (texts: ReadonlyMap<string, string>) =>
  new Map([...texts].filter(([path]) => !isHtml(path)));

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  a.size === b.size && [...a].every(([path, text]) => b.get(path) === text);

const isConflict = (error: unknown) =>
  error instanceof ApiError && error.status === 409 && typeof error.body.currentVersion === 'number';
