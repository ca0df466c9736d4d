import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { fileEndpoints } from '../../contract/pages/files/file-endpoints.ts';
import type { PageFile } from '../../contract/pages/files/page-file.ts';
import type { PageWithExtras } from '../../contract/pages/pages.ts';
import { type Api, ApiError, refusal } from '../client/api.ts';
import { findAccessChange } from '../pages/access.ts';
import { readFiles } from '../pages/files/remote.ts';
import { lookUp, readPage, readSpec } from '../pages/find.ts';
import { toSettings, toSpecText } from '../pages/page-texts.ts';
import type { LocalFile } from '../project/files/scan.ts';
import { isOwnPath, type PageFolder } from '../project/folder.ts';
import { functionFolder } from '../project/function-folder.ts';
import { openMemory } from '../project/memory.ts';
import type { Paint } from '../terminal/colours.ts';
import { CommandError, EXIT } from '../usage.ts';
import { type Change, compareTexts, pickSame, toSettingTexts } from './change.ts';
import { compareFunction } from './function.ts';

/** Larger files are only named. */
const MAX_DIFF_BYTES = 1024 * 1024;

/** What differs between a folder with a page and the server: the document, settings, files and functions. */
export async function comparePage(api: Api, page: PageFolder, paint: Paint): Promise<Change[]> {
  const read = await findPage(api, page);
  const { versionCount: version } = read;
  const changes = await compareTexts(await readTexts(api, page, read), version, paint);
  changes.push(...(await compareFiles(api, page, read, paint)));
  for (const each of page.functions) changes.push(...(await compareFunction(api, each, paint)));
  const present = new Set(page.functions.map(({ fields }) => fields.slug));
  for (const slug of read.page.functions.filter((each) => page.files && !present.has(each)))
    changes.push({ path: functionFolder(slug), change: 'removed' });
  return changes;
}

/** The page that a folder was pushed to or pulled from, or the one with its slug. Nothing is changed, so no proof is needed. */
async function findPage(api: Api, { folder, file, settings }: PageFolder): Promise<PageWithExtras> {
  const known = await openMemory(folder, api.baseUrl).page(file);
  const id = known?.page_id ?? (settings.slug && (await lookUp(api, settings.slug))?.id);
  if (id) {
    try {
      return await readPage(api, id);
    } catch (error) {
      if (!(error instanceof ApiError && (error.status === 403 || error.status === 404))) throw error;
    }
  }
  throw new CommandError(`This folder is not a page of yours at ${api.baseUrl}.`, EXIT.notFound);
}

async function readTexts(api: Api, page: PageFolder, read: PageWithExtras) {
  const { id, html_content } = read.page;
  const { function: _, ...settings } = page.settings;
  const spec = await readSpec(api, id);
  const present = toSettings(read, spec);
  const isNamed = Object.keys(settings).length > 0;
  const { access, functions } = settings;
  const same = {
    ...(pickSame(settings, present) as typeof settings),
    ...(settings.features && { features: pickSame(settings.features, present.features) }),
    ...(access && { access: findAccessChange(access, read.page) ? read.page.access : access }),
    ...(functions && {
      functions: isSameSet(functions, read.page.functions) ? functions : read.page.functions,
    }),
  };
  const [before, after] = toSettingTexts(same, settings);
  const sent = toSpecText(id, { ...spec, spec: page.spec?.replaceAll('{{PAGE_ID}}', String(id)) ?? null });
  const remoteSpec = toSpecText(id, spec);
  return {
    server: {
      [page.file]: html_content,
      ...(isNamed && { 'page.json': before }),
      ...(sent !== undefined && remoteSpec !== undefined && { 'agent-spec.md': remoteSpec }),
    },
    folder: {
      [page.file]: page.html,
      ...(isNamed && { 'page.json': after }),
      ...(sent && { 'agent-spec.md': sent }),
    },
  };
}

const isSameSet = (some: string[], others: string[]) =>
  isDeepStrictEqual([...some].sort(), [...others].sort());

async function compareFiles(
  api: Api,
  page: PageFolder,
  { page: { id }, versionCount: version }: PageWithExtras,
  paint: Paint,
): Promise<Change[]> {
  if (!page.files) return [];
  const isOwn = isOwnPath(page);
  const remote = (await readFiles(api, id, version)).filter(({ path }) => !isOwn(path));
  const before = new Map(remote.map((file) => [file.path, file]));
  const after = new Map(page.files.map((file) => [file.path, file]));
  const changes: Change[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [before.get(path), after.get(path)];
    if (old?.hash === now?.hash) continue;
    const change = old ? (now ? 'changed' : 'removed') : 'added';
    const texts = await Promise.all([
      old && readRemoteText(api, { id, version }, old),
      now && readLocalText(now),
    ]).catch(() => undefined);
    const [server, folder] = texts ?? [];
    const isText = texts && (!old || server !== undefined) && (!now || folder !== undefined);
    const pairs = {
      server: server === undefined ? {} : { [path]: server },
      folder: folder === undefined ? {} : { [path]: folder },
    };
    changes.push(...(isText ? await compareTexts(pairs, version, paint) : [{ path, change } as const]));
  }
  return changes;
}

async function readLocalText({ file, size }: LocalFile): Promise<string | undefined> {
  return size > MAX_DIFF_BYTES ? undefined : decode(await readFile(file));
}

async function readRemoteText(
  api: Api,
  { id, version }: { id: number; version: number },
  { path, size }: PageFile,
): Promise<string | undefined> {
  if (size > MAX_DIFF_BYTES) return undefined;
  const response = await api.send(fileEndpoints.readPageFile, { params: { id, path }, query: { version } });
  if (!response.ok) throw refusal(response, await response.text(), api.baseUrl);
  return decode(await response.bytes());
}

/** The text of a file; undefined if it is not text. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
