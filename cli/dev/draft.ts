import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LinkedDraft, SavedDraft } from '../../contract/pages/drafts.ts';
import { type Api, ApiError } from '../client/api.ts';
import type { Call } from '../command.ts';
import { confirmDoubts } from '../pages/before-push.ts';
import { devNote, findDevDraft } from '../pages/drafts/dev-draft.ts';
import { saveDraft } from '../pages/drafts/save.ts';
import { readPage } from '../pages/find.ts';
import { findTarget, hashFolder, push } from '../pages/push.ts';
import type { PageFolder } from '../project/folder.ts';
import { type FolderMemory, openMemory } from '../project/memory.ts';
import { hashTexts } from '../project/texts.ts';
import { printable } from '../terminal/colours.ts';
import type { Saved, Saver } from './saver.ts';

/** The page of the draft, and the version that the folder has of it. */
interface DraftBase {
  id: number;
  version: number | undefined;
}

/** Saves a folder as a draft, which visitors do not see. */
export class DraftSaver implements Saver {
  #draft: LinkedDraft | undefined;
  #functions: string[] = [];
  /** What was saved last, as hashes. */
  #saved: Record<string, string> | undefined;
  /** Which functions were said to have changes. */
  #said = '';

  constructor(
    private readonly api: Api,
    private readonly call: Call,
    private readonly path: string,
  ) {}

  async save(page: PageFolder): Promise<Saved | undefined> {
    const { api } = this;
    const memory = openMemory(page.folder, api.baseUrl);
    const target = await this.#findPage(page, memory);
    const content = hashFolder(page);
    const isSame = isDeepStrictEqual(this.#saved, content);
    const saved = isSame ? undefined : await this.#saveContent(page, target);
    this.#saved = content;
    await this.#sayFunctions(page, memory);
    if (!saved) return undefined;
    const { draft, warnings } = saved;
    const time = new Date().toTimeString().slice(0, 8);
    const { out } = this.call;
    out.item(
      { type: 'draft', page: target.id, draft, warnings },
      `${out.paint.dim(time)} ${out.paint.green('saved    ')} draft ${draft.id}, based on version ${draft.base_version}`,
    );
    return { url: `${draft.preview_url}?quire-dev`, warnings, functions: this.#functions };
  }

  end(): void {
    if (!this.#draft) return;
    const { id, preview_url } = this.#draft;
    this.call.out.note(
      printable(
        `Your changes are in draft ${id}, which visitors do not see: ${preview_url}\nPublish them with: quire pages push ${this.path}`,
      ),
    );
  }

  async #saveContent(page: PageFolder, { id, version }: DraftBase): Promise<SavedDraft> {
    const { api } = this;
    const { out } = this.call;
    this.#draft ??= await findDevDraft(api, page, id);
    const saving = { id, note: devNote(page), version };
    const again = this.#draft?.id;
    const saved = await saveDraft(api, page, { ...saving, draft: again }, out).catch((error: unknown) => {
      // Somebody has deleted or published it meanwhile.
      if (again === undefined || !(error instanceof ApiError && error.status === 404)) throw error;
      return saveDraft(api, page, { ...saving, draft: undefined }, out);
    });
    this.#draft = saved.draft;
    return saved;
  }

  /** The page of the folder. A new one is made, and not published. */
  async #findPage(page: PageFolder, memory: FolderMemory): Promise<DraftBase> {
    const { api } = this;
    const { out } = this.call;
    const isForced = this.call.flag('force');
    const target = await findTarget(api, page, memory, isForced);
    if (target) {
      await confirmDoubts(page, target.known, false);
      this.#functions = (target.read ?? (await readPage(api, target.id))).page.functions;
      return { id: target.id, version: target.known?.version };
    }
    // Functions are not part of a draft, so the page cannot name them yet.
    const { function: _, functions: __, agent_functions: ___, ...settings } = page.settings;
    const made = { ...page, functions: [], settings: { ...settings, is_published: false } };
    const published = await push(api, made, { doubts: 'refuse', isForced, out });
    const known = await memory.page(page.file);
    if (known) await memory.keepPage({ ...known, unfinished: true });
    return { id: published.page.id, version: published.page.version };
  }

  /** Says once which functions differ from what was deployed: a draft calls them as they are on the server. */
  async #sayFunctions({ functions }: PageFolder, memory: FolderMemory): Promise<void> {
    const changed: string[] = [];
    for (const { fields, texts, under } of functions) {
      const known = await memory.fn(fields.slug);
      if (!isDeepStrictEqual(known?.files, hashTexts(texts))) changed.push(join(this.path, under));
    }
    const said = changed.join(' ');
    if (said !== this.#said && changed.length > 0)
      this.call.out.note(
        `A draft calls functions as they are on the server. To deploy the changed ones, use --live or run:\n${changed.map((each) => `  quire functions push ${each}`).join('\n')}`,
      );
    this.#said = said;
  }
}
