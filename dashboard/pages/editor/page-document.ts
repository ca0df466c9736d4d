import type { PageWarning } from '../../../contract/pages.ts';
import { MAX_HTML_BYTES } from '../../../contract/rules/limits.ts';
import { ApiError, isLoggedOut, isShownByNotice } from '../../api.ts';
import { type Draft, draftStorage } from '../../drafts.ts';
import type { Editor } from '../../editor/index.tsx';
import { formatBytes, say } from '../../ui/index.ts';
import { getPage, type PageDetail, patchPage, screenOf } from '../api.ts';

/** The preview, the size and the draft are updated this long after the last key. */
const SETTLE_MS = 400;

/** What the component passes in at each render. */
interface Props {
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
  /** Renders the component again. */
  onChange: () => void;
}

/** The HTML of a page while it is edited. */
export class PageDocument {
  /** The initial text of the editor. */
  readonly firstText: string;
  /** The text, updated a moment after the last key. */
  settled: string;
  isDirty: boolean;
  /** A draft from an earlier session, until it is saved or discarded. */
  restored: Draft | undefined;
  /** Why the last attempt to save failed. */
  failure: Error | undefined;
  /** What the service said about the text that was saved last. */
  warnings: PageWarning[] = [];
  /** A version that someone else saved in the meantime. */
  conflict: PageDetail | undefined;
  private text: string;
  /** What the service has stored, as far as the person has seen it. */
  private saved: { text: string; version: number };
  private readonly drafts: ReturnType<typeof draftStorage>;
  private isSaving = false;
  /** True if the browser has stored the draft. */
  private isStored = true;
  private editor: Editor | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    userId: number,
    private props: Props,
  ) {
    const { page } = props;
    this.drafts = draftStorage(`${userId}-${page.id}`);
    const draft = this.drafts.read();
    this.restored = draft && draft.text !== page.html_content ? draft : undefined;
    this.firstText = this.restored?.text ?? page.html_content;
    this.settled = this.firstText;
    this.text = this.firstText;
    this.saved = { text: page.html_content, version: this.restored?.version ?? page.versionCount };
    this.isDirty = this.restored !== undefined;
  }

  /** The version that the text is based on. */
  get version(): number {
    return this.saved.version;
  }

  currentText = () => this.text;

  update(props: Props): void {
    this.props = props;
  }

  attach = (editor: Editor) => {
    this.editor = editor;
  };

  goTo = (line: number, column?: number) => this.editor?.goTo(line, column);

  change = (text: string) => {
    this.text = text;
    this.markDirty();
    clearTimeout(this.settling);
    this.settling = setTimeout(this.settle, SETTLE_MS);
  };

  /** Updates the preview and stores the draft. */
  settle = () => {
    clearTimeout(this.settling);
    const { text, saved } = this;
    this.settled = text;
    if (text === saved.text) this.drafts.discard();
    else this.isStored = this.drafts.save({ text, version: saved.version, at: Date.now() });
    this.props.onChange();
  };

  /** Saves a new version, unless someone else has saved one since the person loaded the page. */
  save = async () => {
    if (!this.isDirty) return say(`No changes: version ${this.version} is saved.`);
    this.settle();
    const excess = new Blob([this.text]).size - MAX_HTML_BYTES;
    if (this.text === '') return this.fail(new Error('The page is empty.'));
    if (excess > 0)
      return this.fail(
        new Error(
          `The page is ${formatBytes(excess)} larger than the limit of ${formatBytes(MAX_HTML_BYTES)}.`,
        ),
      );
    await this.saveOver(this.version).catch(this.fail);
  };

  keepMine = async () => {
    if (this.conflict) await this.saveOver(this.conflict.versionCount);
  };

  takeTheirs = () => {
    const { conflict } = this;
    if (!conflict) return;
    this.replace(conflict);
    this.props.onSaved(conflict);
  };

  goOn = () => {
    this.conflict = undefined;
    this.props.onChange();
  };

  discardRestored = () => this.replace(this.props.page);

  /** True if leaving loses changes. The draft is kept for the other tabs of this page, and for the next login. */
  wouldLose = (to?: string): boolean => {
    if (!this.isDirty) return false;
    this.settle();
    const home = screenOf(this.props.page.id);
    const isNear = to === undefined ? isLoggedOut.value : to === home || to.startsWith(`${home}/`);
    return !this.isStored || !isNear;
  };

  private async saveOver(version: number): Promise<void> {
    if (this.isSaving) return;
    const { text, props } = this;
    const { page } = props;
    this.isSaving = true;
    this.failure = undefined;
    this.settle();
    try {
      const { warnings } = await patchPage(page.id, { html_content: text, base_version: version });
      this.markSaved(text, version + 1);
      this.warn(warnings);
      say(`Saved as version ${version + 1}.`);
      const updated_at = new Date().toISOString();
      props.onSaved({ ...page, html_content: text, versionCount: version + 1, updated_at });
    } catch (error) {
      if (!isConflict(error)) throw error;
      this.resolveConflict(await getPage(page.id), text);
    } finally {
      this.isSaving = false;
    }
  }

  /** Someone else saved first. The person has to decide only if the texts differ. */
  private resolveConflict(theirs: PageDetail, mine: string): void {
    if (theirs.html_content === mine) {
      this.markSaved(mine, theirs.versionCount);
      this.props.onSaved(theirs);
      say(`Version ${theirs.versionCount} already has this text.`);
      return;
    }
    this.conflict = theirs;
    this.props.onChange();
  }

  private fail = (error: Error) => {
    const stored = this.isStored ? ' Your changes are stored in this browser.' : '';
    if (isShownByNotice(error)) return say(`Not saved.${stored}`, 'bad');
    this.failure = new Error(`Not saved. ${error.message}${stored}`);
    this.props.onChange();
  };

  dismissWarnings = () => this.warn([]);

  private warn(warnings: PageWarning[]): void {
    this.warnings = warnings;
    // The text may have changed meanwhile. Then the lines are wrong, and the list is shown without marks.
    const isCurrent = this.text === this.saved.text;
    const marks = warnings.flatMap(({ message, line, column = 1 }) =>
      isCurrent && line !== undefined ? [{ line, column, message, severity: 'warning' as const }] : [],
    );
    this.editor?.mark(marks);
    this.props.onChange();
  }

  /** Puts a saved version into the editor. */
  private replace({ html_content, versionCount }: PageDetail): void {
    this.editor?.setText(html_content);
    this.text = html_content;
    this.markSaved(html_content, versionCount);
    this.warn([]);
  }

  /** Records what the service has stored. */
  private markSaved(text: string, version: number): void {
    this.saved = { text, version };
    this.conflict = undefined;
    this.failure = undefined;
    this.markDirty();
    if (!this.isDirty) this.restored = undefined;
    this.settle();
  }

  private markDirty(): void {
    this.isDirty = this.text !== this.saved.text;
    this.props.onChange();
  }
}

const isConflict = (error: unknown) =>
  error instanceof ApiError && error.status === 409 && typeof error.body.currentVersion === 'number';
