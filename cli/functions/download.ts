import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseEndpoints } from '../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { Code } from '../../contract/functions/functions.ts';
import { isFunctionSlug } from '../../contract/rules/function-names.ts';
import { AI_DAILY_LIMIT } from '../../contract/rules/limits.ts';
import { type Api, ApiError, notFromQuire } from '../client/api.ts';
import { MAIN_NAMES, SETTINGS_FILE } from '../project/function-folder.ts';
import { chooseMainName, toLocalFiles } from '../project/function-source.ts';
import type { FolderMemory } from '../project/memory.ts';
import type { FunctionJson } from '../project/page-json.ts';
import { hashTexts, planTexts, type TextPlan } from '../project/texts.ts';
import { CommandError } from '../usage.ts';

/** A function on the server. */
export interface RemoteFunction extends Code {
  slug: string;
  fields: FunctionJson;
}

/** Where a function is on this machine: in a folder, below the one with `.quire.json`. */
export interface FunctionLocation {
  root: string;
  under: string;
}

/** A function that a pull writes into a folder. */
export interface PulledFunction extends FunctionLocation {
  remote: RemoteFunction;
  /** Its texts by their path in the folder with `.quire.json`. */
  texts: Record<string, string>;
  plan: TextPlan;
}

export async function readRemoteFunction(api: Api, slug: string): Promise<RemoteFunction> {
  const params = { slug };
  // It becomes the name of a folder.
  if (!isFunctionSlug(slug)) throw notFromQuire(`GET /api/functions/${slug.slice(0, 100)}`, api.baseUrl);
  const found = await api.call(functionEndpoints.getFunction, { params });
  const code = await api.call(functionEndpoints.getFunctionCode, { params });
  const { displayName, description, isPublic, hasDatabase, schedules = [], on = [], aiDailyLimit } = found;
  const planned = schedules.map(({ cron, timezone }) => ({ cron, timezone }));
  const database = hasDatabase ? await describeDatabase(api, slug) : {};
  const fields = {
    ...{ slug, displayName, description, isPublic },
    ...database,
    ...(planned.length > 0 && { schedules: planned }),
    // The secret of an address is not for files, which may be shared.
    ...(on.length > 0 && { on: on.map(({ secret: _, ...trigger }) => trigger) }),
    ...(aiDailyLimit !== AI_DAILY_LIMIT.usual && { aiDailyLimit }),
  };
  return { slug, fields, ...code };
}

/** How a function is deployed again with its database: its own, or that of another function. */
async function describeDatabase(api: Api, slug: string) {
  const { belongsTo = slug } = await api.call(databaseEndpoints.getDatabase, { params: { slug } });
  return belongsTo === slug ? { enableDatabase: true } : { useDatabase: belongsTo };
}

/** The function; undefined if it is somebody else's, or was deleted. */
export async function findRemoteFunction(api: Api, slug: string): Promise<RemoteFunction | undefined> {
  try {
    return await readRemoteFunction(api, slug);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

/** Plans a pull into a folder that has only this function. */
export async function planFolder(
  remote: RemoteFunction,
  { root, under }: FunctionLocation,
  memory: FolderMemory,
): Promise<PulledFunction> {
  const texts = await toFolderTexts(remote, join(root, under));
  const placed = Object.entries(texts).map(([path, text]) => [under + path, text]);
  return planPulled(remote, Object.fromEntries(placed), { root, under }, memory);
}

export async function planPulled(
  remote: RemoteFunction,
  texts: Record<string, string>,
  { root, under }: FunctionLocation,
  memory: FolderMemory,
): Promise<PulledFunction> {
  const remembered = await memory.fn(remote.slug);
  const known = remembered?.seal === remote.folderSeal ? remembered.files : {};
  return { remote, root, under, texts, plan: await planTexts(root, texts, known, () => true) };
}

export function keepPulled(memory: FolderMemory, { remote, texts }: PulledFunction): Promise<void> {
  const { slug, version, folderSeal: seal } = remote;
  return memory.keepFunction({ slug, version, seal, files: hashTexts(texts) });
}

/** The texts of a function's own folder, by their path in it. */
async function toFolderTexts(
  { slug, fields, code, files }: Pick<RemoteFunction, 'slug' | 'fields' | 'code' | 'files'>,
  folder: string,
): Promise<Record<string, string>> {
  if (Object.hasOwn(files, SETTINGS_FILE))
    throw new CommandError(
      `The function ${slug} has a file ${SETTINGS_FILE}, but in a folder that name is for the settings. Rename the file first.`,
    );
  const main = await chooseMain(folder, code, files);
  return {
    [SETTINGS_FILE]: `${JSON.stringify(fields, null, 2)}\n`,
    ...toLocalFiles(main, code, files),
  };
}

/** The name of the main module: the one that is there, or one that fits the code and is not another module's. */
async function chooseMain(folder: string, code: string, files: Record<string, string>): Promise<string> {
  // No other module can have this name.
  const [reserved = ''] = MAIN_NAMES;
  if (MAIN_NAMES.some((name) => Object.hasOwn(files, name))) return reserved;
  for (const name of MAIN_NAMES)
    if ((await lstat(join(folder, name)).catch(() => undefined))?.isFile()) return name;
  return chooseMainName('function', code, files);
}
