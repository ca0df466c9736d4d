import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { ApiError, isShownByNotice, isUnreachable, untilOnline } from '../../../api.ts';
import { navigate } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { say } from '../../../ui/index.ts';
import { type PageDetail, patchPage, SHARE, toPageScreen } from '../../api.ts';
import { rememberDraft } from '../../drafts/remembered.ts';
import type { Conflict, Edits } from './edits.ts';
import type { KnownPage } from './known-page.ts';
import type { OpenFiles } from './open-files.ts';
import { type MovedOn, type PublishWish, publishOpenDraft } from './publish-draft.ts';
import { retryOnConflict } from './retry.ts';
import { faultOfTexts, sendTexts, sendToDraft } from './save.ts';

/** The page that is saved. */
interface Saved {
  userId: number;
  known: KnownPage;
  edits: Edits;
  open: OpenFiles;
  page(): PageDetail;
  /** Whether this browser has stored the texts. */
  isStored(): boolean;
  settle(): void;
  announce(): void;
  /** Puts what is saved into the editors. */
  showSaved(): Promise<void>;
  /** Shows what was noticed in the texts with these paths, and keeps what is known of others. */
  warn(warnings: PageWarning[], sent: ReadonlyMap<string, string>): void;
  onChange(changes: Partial<PageDetail>): void;
}

/** Saves and publishes the texts of a page. */
export class Saving {
  isRunning = false;
  failure: Error | undefined;
  conflicts: Conflict[] = [];
  movedOn: MovedOn | undefined;
  /** What is published as soon as the service can be reached. */
  waiting: PublishWish | undefined;
  /** Where the last attempt wanted to save. */
  #to: 'draft' | 'version' = 'version';

  constructor(private readonly saved: Saved) {}

  save = async () => {
    const { known, edits } = this.saved;
    if (edits.size === 0)
      return say(
        known.draft
          ? t('No changes: the draft is saved.')
          : t('No changes: version {version} is saved.', this.#version),
      );
    const isSeen = this.saved.page().is_published;
    await this.#attempt(() => this.#saveEdits(known.draft || isSeen ? 'draft' : 'version'));
  };

  publish = async (wish: PublishWish = {}) => {
    const { known, edits } = this.saved;
    const page = this.saved.page();
    if (edits.size === 0 && !known.draft && page.is_published)
      return say(t('No changes: version {version} is published.', this.#version));
    this.movedOn = undefined;
    await this.#attempt(async () => {
      if (edits.size > 0) await this.#saveEdits(known.draft ? 'draft' : 'version', wish.note);
      if (this.conflicts.length > 0 || edits.size > 0) return;
      if (known.draft) await this.#publishDraft(wish);
      if (this.movedOn || page.is_published) return;
      this.saved.onChange((await patchPage(page.id, { is_published: true })).saved);
      // The person may have left the editor meanwhile.
      if (location.pathname === toPageScreen(page.id)) navigate(toPageScreen(page.id, SHARE));
    }, wish);
  };

  /** Saves the person's own texts, whatever others saved. */
  keepMine = async () => {
    for (const { path } of this.conflicts) this.saved.edits.acceptSaved(path);
    this.conflicts = [];
    await this.#attempt(() => this.#saveEdits(this.#to));
  };

  /** Closes the questions. Everything stays as it is. */
  goOn = () => {
    this.conflicts = [];
    this.movedOn = undefined;
    this.saved.announce();
  };

  /** True if the conflicts are about a draft. */
  get isForDraft(): boolean {
    return this.#to === 'draft';
  }

  get #version() {
    return { version: String(this.saved.known.version) };
  }

  /** Runs one attempt to save. `wish` is set if it publishes, and is then tried again after a lost connection. */
  async #attempt(work: () => Promise<unknown>, wish?: PublishWish): Promise<void> {
    this.waiting = undefined;
    this.saved.settle();
    const fault = faultOfTexts(this.saved.edits.all());
    if (fault) return this.#fail(new Error(fault));
    if (this.isRunning) return;
    this.isRunning = true;
    this.failure = undefined;
    this.saved.announce();
    try {
      await work();
    } catch (error) {
      if (wish && isUnreachable(error)) void this.#publishLater(wish);
      else await this.#fail(error as Error);
    } finally {
      this.isRunning = false;
      this.saved.announce();
    }
  }

  /** Publishes when the service can be reached, unless the person has written more or does something else by then. */
  async #publishLater(wish: PublishWish): Promise<void> {
    const { edits } = this.saved;
    const write = () => JSON.stringify([...edits.all()]);
    const texts = write();
    this.waiting = wish;
    await untilOnline();
    if (this.waiting !== wish) return;
    this.waiting = undefined;
    if (write() === texts) await this.publish(wish);
    else this.saved.announce();
  }

  async #saveEdits(to: 'draft' | 'version', note?: string): Promise<void> {
    const { known, edits, open, userId } = this.saved;
    const { id } = this.saved.page();
    this.#to = to;
    await retryOnConflict(known, async () => {
      this.conflicts = await edits.conflicts();
      if (this.conflicts.length > 0) return;
      if (edits.size === 0) return say(t('Version {version} already has this text.', this.#version));
      const sent = edits.all();
      const saved = await (to === 'draft' ? sendToDraft(id, known, sent) : sendTexts(id, known, sent, note));
      known.adopt(saved, saved.files, sent);
      edits.markSaved(sent);
      for (const path of sent.keys()) open.markFresh(path, known.stamp(path));
      this.saved.warn(saved.warnings, sent);
      this.#report(to);
    });
    rememberDraft(userId, id, known.draft?.id);
    await this.saved.showSaved();
  }

  #report(to: 'draft' | 'version'): void {
    const isSeen = this.saved.page().is_published;
    const draft = isSeen
      ? t('Draft saved. Visitors still see version {version}.', this.#version)
      : t('Draft saved.');
    const version = isSeen
      ? t('Published as version {version}.', this.#version)
      : t('Saved as version {version}.', this.#version);
    say(to === 'draft' ? draft : version);
  }

  async #publishDraft(wish: PublishWish): Promise<void> {
    const { known, userId } = this.saved;
    const page = this.saved.page();
    const result = await publishOpenDraft(page.id, known, wish);
    if ('movedOn' in result) {
      this.movedOn = result.movedOn;
      return;
    }
    rememberDraft(userId, page.id, undefined);
    await this.saved.showSaved();
    if (page.is_published) say(t('Published as version {version}.', this.#version));
  }

  async #fail(error: Error): Promise<void> {
    const stored = this.saved.isStored() ? t('Your changes are stored in this browser.') : '';
    if (isShownByNotice(error)) return say(`${t('Not saved.')} ${stored}`, 'bad');
    const isGone = this.saved.known.draft && error instanceof ApiError && error.status === 404;
    if (isGone) await this.#leaveLostDraft();
    const why = isGone
      ? t('Someone has published or deleted this draft. Save again to make a new one.')
      : error.message;
    this.failure = new Error(`${t('Not saved.')} ${why} ${stored}`);
    this.saved.announce();
  }

  /** The texts stay in the editor, as changes of the published page. */
  async #leaveLostDraft(): Promise<void> {
    const { known, edits, userId } = this.saved;
    const html = edits.text(INDEX_PATH) ?? known.html;
    known.draft = undefined;
    rememberDraft(userId, this.saved.page().id, undefined);
    await known.refresh();
    edits.set(INDEX_PATH, html);
    for (const path of edits.paths()) edits.acceptSaved(path);
  }
}
