import { signal } from '@preact/signals';
import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import type { Editor } from '../../../editor/index.tsx';
import type { PageDetail } from '../../api.ts';
import type { DraftDetail } from '../../drafts/api.ts';
import { addWarnings } from './add-warnings.ts';
import { ChangedFiles } from './changed-files.ts';
import { type Conflict, Edits } from './edits.ts';
import { KnownPage } from './known-page.ts';
import { LineMarks } from './line-marks.ts';
import { OpenFiles } from './open-files.ts';
import type { MovedOn, PublishWish } from './publish-draft.ts';
import { Saving } from './saving.ts';
import { SettledTexts } from './settled-texts.ts';

/** The preview, the size and the draft are updated this long after the last key. */
const SETTLE_MS = 400;

/** What the component passes in at each render. */
interface Props {
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
  /** The draft that is open at the start. */
  draft: DraftDetail | undefined;
}

/**
 * A page or a draft of it, with its files, while it is edited. Texts wait to be saved; all other changes of files are made
 * at once, in the draft if one is open.
 */
export class EditedPage {
  readonly known: KnownPage;
  readonly edits: Edits;
  readonly open = new OpenFiles();
  readonly marks = new LineMarks((path) => this.open.editor(path));
  /** The unsaved texts by path, updated a moment after the last key. */
  readonly settled: SettledTexts;
  /** False until the files are listed. Until then the preview would not find them. */
  isReady = false;
  /** What the service said about the HTML that was saved last. */
  warnings: PageWarning[] = [];
  readonly #revision = signal(0);
  /** True if the browser has stored the draft. */
  #isStored = true;
  #settling: ReturnType<typeof setTimeout> | undefined;
  readonly #saving: Saving;
  /** Changes of the files themselves. */
  readonly files: ChangedFiles;

  constructor(
    userId: number,
    private props: Props,
  ) {
    const { page, draft } = props;
    this.known = new KnownPage(page.id, page, draft);
    this.edits = new Edits(page.id, userId, this.known);
    this.settled = new SettledTexts(this.edits.all());
    const { known, edits, open, settle } = this;
    this.#saving = new Saving({
      ...{ userId, known, edits, open, settle },
      page: () => this.props.page,
      isStored: () => this.#isStored,
      announce: () => this.#announce(),
      showSaved: () => this.#showSaved(),
      warn: (found, sent) => this.#warn(addWarnings(this.warnings, found, sent)),
      onChange: (changes) => this.props.onSaved({ ...this.props.page, ...changes }),
    });
    this.files = new ChangedFiles({
      ...{ known, edits, open, settle, pageId: page.id },
      showSaved: () => this.#showSaved(),
      discard: (paths) => this.#discard(paths),
    });
  }

  /** Components that call this are rendered again when anything changes. */
  watch(): void {
    this.#revision.value;
  }

  get isPublished(): boolean {
    return this.props.page.is_published;
  }

  /** True while the texts are sent. */
  get isSaving(): boolean {
    return this.#saving.isRunning;
  }

  /** True if the texts are published as soon as the service can be reached. */
  get isWaiting(): boolean {
    return this.#saving.waiting !== undefined;
  }

  /** Why the last attempt to save failed. */
  get failure(): Error | undefined {
    return this.#saving.failure;
  }

  /** Files that someone else changed in the meantime. */
  get conflicts(): Conflict[] {
    return this.#saving.conflicts;
  }

  /** True if the conflicts are about a draft. */
  get isSavingDraft(): boolean {
    return this.#saving.isForDraft;
  }

  /** Set if the draft was not published, because the page has changed since. */
  get movedOn(): MovedOn | undefined {
    return this.#saving.movedOn;
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

  attach = (path: string, editor: Editor) => {
    this.open.attach(path, editor, this.known.stamp(path));
    this.marks.show(path);
  };

  /** In the page's HTML, or in another file. */
  goTo = (line: number, column?: number, path = INDEX_PATH) => {
    this.show(path);
    // The editor may have been hidden, and cannot scroll before it is shown. Or it is still to be made.
    requestAnimationFrame(() => this.open.whenAttached(path, (editor) => editor.goTo(line, column)));
  };

  change = (path: string, text: string) => {
    const wasEdited = this.edits.has(path);
    this.edits.set(path, text);
    // Not for every key: a large tree takes a moment to render.
    if (this.edits.has(path) !== wasEdited) this.#announce();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.settle, SETTLE_MS);
  };

  /** Replaces a text as if the person had written it. Undo in the editor brings the old one back. */
  put = (path: string, text: string) => {
    this.open.editor(path)?.setText(text);
    this.change(path, text);
    this.settle();
  };

  create = (path: string) => {
    this.change(path, '');
    this.show(path);
  };

  /** Updates the preview and stores the draft. */
  settle = () => {
    clearTimeout(this.#settling);
    this.settled.update(this.edits.all());
    this.#isStored = this.edits.store();
    this.#announce();
  };

  /** Saves all texts: in a draft, or in a version if visitors do not see the page anyway. */
  save = () => this.#saving.save();
  /** Saves what is not saved, and shows it to visitors as the next version. */
  publish = (wish?: PublishWish) => this.#saving.publish(wish);
  /** Call this when the editor is closed. The texts stay in this browser. */
  stopWaiting = () => {
    this.#saving.waiting = undefined;
  };
  keepMine = () => this.#saving.keepMine();
  goOn = () => this.#saving.goOn();

  takeTheirs = async () => {
    const paths = this.conflicts.map(({ path }) => path);
    this.#saving.goOn();
    await this.#discard(paths);
  };

  /** Puts all saved texts back. */
  discardAll = () => this.#discard(this.edits.paths());

  /** True if leaving loses changes. The draft in this browser restores them, when the page is opened again. */
  wouldLose = (): boolean => {
    if (!this.isDirty) return false;
    this.settle();
    return !this.#isStored;
  };

  dismissWarnings = () => this.#warn([]);

  #announce(): void {
    this.#revision.value = this.#revision.peek() + 1;
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
    // Other screens show what is published.
    if (this.known.draft) return;
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
    this.#saving.failure = undefined;
    await this.#showSaved();
  }

  #fill(path: string, text: string): void {
    this.open.editor(path)?.setText(text);
    this.open.markFresh(path, this.known.stamp(path));
    // The editor has reported the text as a change, with its own line breaks.
    this.edits.drop(path);
  }

  #warn(warnings: PageWarning[]): void {
    this.warnings = warnings;
    // The text may have changed meanwhile. Then the lines are wrong, and the list is shown without marks.
    const isCurrent = !this.edits.has(INDEX_PATH);
    const marks = warnings.flatMap(({ file, message, line, column = 1 }) =>
      isCurrent && file === undefined && line !== undefined
        ? [{ line, column, message, severity: 'warning' as const }]
        : [],
    );
    this.marks.set('saved', new Map([[INDEX_PATH, marks]]));
    this.#announce();
  }
}
