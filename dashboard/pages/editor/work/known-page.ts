import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { getPage, type PageDetail } from '../../api.ts';
import { type DraftDetail, getDraft, type LinkedDraft } from '../../drafts/api.ts';
import { listFiles, type PageFile, readFile } from '../../files/api.ts';
import { decodeText } from '../../files/kind.ts';

/**
 * What the service has stored, as far as this window knows: the page's HTML and its files, or those of the draft that is
 * open.
 */
export class KnownPage {
  /** Of the published page. */
  version: number;
  /** The open draft; undefined while the published page is edited. */
  draft: LinkedDraft | undefined;
  html: string;
  /** By path. Undefined until they are loaded. */
  files: ReadonlyMap<string, PageFile> | undefined;
  /** Texts of files that were read, by hash. Undefined for what is not text. */
  readonly #texts = new Map<string, string | undefined>();

  constructor(
    private readonly pageId: number,
    { html_content, versionCount }: PageDetail,
    draft?: DraftDetail,
  ) {
    this.html = html_content;
    this.version = versionCount;
    if (draft) this.#show(draft);
  }

  /** Changes with the content of a file. Undefined if there is no such file. */
  stamp(path: string): string | undefined {
    return path === INDEX_PATH ? this.html : this.files?.get(path)?.hash;
  }

  /** The saved text, if it was read. */
  textNow(path: string): string | undefined {
    if (path === INDEX_PATH) return this.html;
    const file = this.files?.get(path);
    return file && this.#texts.get(file.hash);
  }

  /** The saved text. Undefined for a file that does not exist or is not text. */
  async text(path: string): Promise<string | undefined> {
    if (path === INDEX_PATH) return this.html;
    const file = this.files?.get(path);
    if (!file) return undefined;
    if (!this.#texts.has(file.hash)) {
      const text = await decodeText(await readFile(this.pageId, path, { draft: this.draft?.id }));
      this.#texts.set(file.hash, text);
    }
    return this.#texts.get(file.hash);
  }

  async loadFiles(): Promise<ReadonlyMap<string, PageFile>> {
    return this.files ?? this.#setFiles(await listFiles(this.pageId));
  }

  /** Reads the current version, or the draft again. */
  async refresh(): Promise<void> {
    if (this.draft) return this.#show(await getDraft(this.pageId, this.draft.id));
    // In this order: if somebody saves in between, the next attempt to save finds out.
    const page = await getPage(this.pageId);
    this.#setFiles(await listFiles(this.pageId));
    this.html = page.html_content;
    this.version = page.versionCount;
  }

  /** Where a change goes: the draft that is open, or a new version. */
  get target() {
    const { draft, version } = this;
    return draft ? { draft: { id: draft.id, revision: draft.revision } } : { baseVersion: version };
  }

  /** Records a new version or the saved draft, with the texts that were sent for it. */
  adopt(
    { version, draft }: { version?: number | undefined; draft?: LinkedDraft | undefined },
    files: PageFile[] | undefined,
    texts: ReadonlyMap<string, string>,
  ): void {
    this.version = version ?? this.version;
    this.draft = draft ?? this.draft;
    if (files) this.#setFiles(files);
    this.html = texts.get(INDEX_PATH) ?? this.html;
    for (const [path, text] of texts) {
      const file = this.files?.get(path);
      if (file) this.#texts.set(file.hash, text);
    }
  }

  #show({ html_content, files, ...draft }: DraftDetail): void {
    this.draft = draft;
    this.html = html_content;
    this.#setFiles(files);
  }

  #setFiles(files: PageFile[]): ReadonlyMap<string, PageFile> {
    this.files = new Map(files.filter(({ path }) => path !== INDEX_PATH).map((file) => [file.path, file]));
    return this.files;
  }
}
