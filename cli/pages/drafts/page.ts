import { stat } from 'node:fs/promises';
import type { Api } from '../../client/api.ts';
import { connect } from '../../client/connect.ts';
import type { Call } from '../../command.ts';
import { isOwnPath, type PageFolder, readPageFolder } from '../../project/folder.ts';
import { type KnownPage, openMemory } from '../../project/memory.ts';
import { CommandError, EXIT, UsageError } from '../../usage.ts';
import { readFiles } from '../files/remote.ts';
import { findChange } from '../files/upload.ts';
import { findKnownPage, findPageId, readPage } from '../find.ts';
import { hashFolder } from '../push.ts';

/** A page whose drafts are managed. */
interface DraftedPage {
  api: Api;
  id: number;
  /** The version of the folder; undefined without a folder, or if it is that of another page. */
  version: number | undefined;
  /** Records that the folder is at this version, if it is: someone can have changed the draft. */
  keepVersion(version: number): Promise<void>;
}

/** The page that the first argument names: a slug, an id, or the folder that it was pushed from or pulled to. */
export async function findDraftedPage(call: Call): Promise<DraftedPage> {
  const [named = ''] = call.args;
  const found = await stat(named).catch(() => undefined);
  // A slug has no dot, but a folder can have the same name.
  if (found?.isDirectory() || (found && named.includes('.')))
    return findPageOfFolder(call, await readPageFolder(named), undefined);
  const api = await connect(call);
  return { api, id: await findPageId(api, named), version: undefined, keepVersion: async () => undefined };
}

/** The page of a folder, or another one that is named. */
export async function findPageOfFolder(
  call: Call,
  page: PageFolder,
  slugOrId: string | undefined,
): Promise<DraftedPage & { known: KnownPage | undefined }> {
  const api = await connect(call);
  const memory = openMemory(page.folder, api.baseUrl);
  const named = slugOrId === undefined ? undefined : await findPageId(api, slugOrId);
  const own = (await findKnownPage(api, memory, page.file))?.known;
  const id = named ?? own?.page_id;
  if (id === undefined) {
    throw new CommandError(
      `This folder was not pushed to ${api.baseUrl} or pulled from there. Name the page with its slug or id, or push the folder first: quire pages push ${page.folder}`,
      EXIT.notFound,
    );
  }
  const known = own?.page_id === id ? own : undefined;
  return {
    ...{ api, id, known, version: known?.version },
    async keepVersion(version) {
      if (!known || !(await isSame(api, id, page))) return;
      await memory.keepPage({ ...known, version, files: hashFolder(page) });
    },
  };
}

/** True if the page has the document and the files of the folder. */
async function isSame(api: Api, id: number, folder: PageFolder): Promise<boolean> {
  const { html, files } = folder;
  const [{ page }, remote] = await Promise.all([readPage(api, id), readFiles(api, id)]);
  return page.html_content === html && (!files || findChange(files, remote, isOwnPath(folder)) === undefined);
}

export function toDraftId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${text} is not the id of a draft.`);
  return Number(text);
}
