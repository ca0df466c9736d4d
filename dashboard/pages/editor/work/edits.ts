import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { type Draft, draftStorage, type FileDraft } from '../../../drafts.ts';
import { getVersion } from '../../api.ts';
import type { KnownPage } from './known-page.ts';

interface Edit {
  text: string;
  /** The stamp of the file when the person started; undefined if there was none, null if it is not known. */
  base: string | undefined | null;
  /** The last version known to have that file. */
  version: number;
}

/** A file that someone else changed while this person edited it. */
export interface Conflict {
  path: string;
  mine: string;
  /** Undefined if they deleted it. */
  theirs: string | undefined;
}

/** The texts that differ from what is saved. They are also stored in this browser, as a draft. */
export class Edits {
  /** The draft from an earlier session, until it is saved or discarded. */
  restored: Draft | undefined;
  readonly #edits = new Map<string, Edit>();
  readonly #drafts: ReturnType<typeof draftStorage>;

  constructor(
    private readonly pageId: number,
    userId: number,
    private readonly known: KnownPage,
  ) {
    this.#drafts = draftStorage(`${userId}-${pageId}`);
    const draft = this.#drafts.read();
    if (!draft) return;
    const { version, text } = draft;
    const base = version === known.version ? known.html : null;
    if (text !== known.html) this.#edits.set(INDEX_PATH, { text, base, version });
    for (const [path, file] of Object.entries(draft.files ?? {})) {
      if (typeof file?.text === 'string')
        this.#edits.set(path, { text: file.text, base: file.base, version });
    }
    if (this.size > 0) this.restored = draft;
  }

  get size(): number {
    return this.#edits.size;
  }

  has = (path: string) => this.#edits.has(path);
  text = (path: string) => this.#edits.get(path)?.text;
  paths = () => [...this.#edits.keys()];

  /** The texts by path. */
  all(): Map<string, string> {
    return new Map([...this.#edits].map(([path, { text }]) => [path, text]));
  }

  set(path: string, text: string): void {
    const before = this.#edits.get(path);
    if (text === this.known.textNow(path)) this.drop(path);
    else if (before) before.text = text;
    else this.#edits.set(path, { text, base: this.known.stamp(path), version: this.known.version });
  }

  drop(path: string): void {
    this.#edits.delete(path);
    if (this.size === 0) this.restored = undefined;
  }

  move(from: string, to: string): void {
    const edit = this.#edits.get(from);
    if (!edit) return;
    this.#edits.delete(from);
    this.#edits.set(to, { ...edit, base: this.known.stamp(to) });
  }

  /** Records that the person has seen what is saved now, and wants their own text. */
  acceptSaved(path: string): void {
    const edit = this.#edits.get(path);
    if (edit) Object.assign(edit, { base: this.known.stamp(path), version: this.known.version });
  }

  /** Records that these texts are saved now. Some may have changed again meanwhile. */
  markSaved(texts: ReadonlyMap<string, string>): void {
    for (const [path, text] of texts) {
      if (this.text(path) === text) this.drop(path);
      else this.acceptSaved(path);
    }
  }

  /** What someone else changed too. Drops edits that they made the same way. */
  async conflicts(): Promise<Conflict[]> {
    const found: Conflict[] = [];
    await this.#learnBase();
    for (const [path, edit] of [...this.#edits]) {
      if (edit.base === this.known.stamp(path)) {
        edit.version = this.known.version;
        continue;
      }
      const theirs = await this.known.text(path);
      if (theirs === edit.text) this.drop(path);
      else found.push({ path, mine: edit.text, theirs });
    }
    return found;
  }

  /** Returns false if the browser could not store the draft. */
  store(): boolean {
    if (this.size === 0) {
      this.#drafts.discard();
      return true;
    }
    const index = this.#edits.get(INDEX_PATH);
    const files: Record<string, FileDraft> = {};
    for (const [path, { text, base }] of this.#edits) {
      if (path !== INDEX_PATH) files[path] = { text, ...(base && { base }) };
    }
    return this.#drafts.save({
      text: index?.text ?? this.known.html,
      version: index?.version ?? this.known.version,
      at: Date.now(),
      ...(Object.keys(files).length > 0 && { files }),
    });
  }

  /** A restored draft only knows the version that its HTML was based on. */
  async #learnBase(): Promise<void> {
    const index = this.#edits.get(INDEX_PATH);
    if (index?.base !== null) return;
    index.base = await getVersion(this.pageId, index.version).then(
      ({ html_content }) => html_content,
      () => null,
    );
  }
}
