import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { AgentSpec } from '../../contract/agents/agent-spec.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { Access } from '../../contract/pages/access.ts';
import type { PageFile } from '../../contract/pages/files/page-file.ts';
import { type PageJson, SAME_SETTINGS } from '../../contract/pages/page-json.ts';
import { FEATURE_FLAGS, type PageWithExtras } from '../../contract/pages/pages.ts';
import { findDataType } from '../../contract/rules/storage-modes.ts';
import { type Api, notFromQuire } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { readMemoryKey } from '../client/memory-key.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { readInside } from '../project/files/inside.ts';
import {
  chooseMainName,
  findSource,
  PROJECT_FILES,
  toLocalFiles,
  writeInside,
} from '../project/function-source.ts';
import { findUnsaved, hashTexts, openMemory } from '../project/memory.ts';
import { parsePageJson } from '../project/page-json.ts';
import { count, saySize } from '../terminal/amounts.ts';
import { CommandError, EXIT } from '../usage.ts';
import { pullData } from './data-files.ts';
import { type PullPlan, planPull } from './files/compare.ts';
import { Downloads } from './files/download.ts';
import { readFiles } from './files/remote.ts';
import { findPageId, readPage, readSpec, selectSchemas } from './find.ts';

export const pagesPull: Command = {
  name: 'pages pull',
  usage: '<slug|id> [folder]',
  args: [1, 2],
  summary: 'download a page as a folder that you can push, here or to another server',
  options: {
    function: {
      type: 'string',
      value: 'slug',
      summary: 'also download this function, as function.ts or function.js',
    },
    data: { type: 'boolean', summary: 'also download the records, as data/<collection>.ndjson' },
    force: { type: 'boolean', summary: 'overwrite files that you changed' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connect(call);
    const [slugOrId = '', wanted] = call.args;
    const page = await readPage(api, await findPageId(api, slugOrId));
    const { id, slug } = page.page;
    // It can become the name of a folder.
    if (!/^[a-z0-9-]+$/.test(slug)) throw notFromQuire(`GET /api/pages/${id}`, api.baseUrl);
    const folder = resolve(wanted ?? slug);
    const version = page.versionCount;
    const [spec, remote] = await Promise.all([readSpec(api, id), readFiles(api, id, version)]);
    const slugOfFunction = call.text('function') ?? (await readFunctionSlug(folder));
    const fn =
      slugOfFunction === undefined ? undefined : await readFunction(api, slugOfFunction, folder, remote);
    const files = toFiles(page, spec, fn);

    const memory = openMemory(folder, api.baseUrl, await readMemoryKey(call.environment));
    const remembered = await memory.page('index.html');
    const known = remembered?.isOurs ? remembered.files : {};
    const plan = await planPull(folder, remote, known);
    const unsaved = [...(await findUnsaved(folder, known, files)), ...plan.unsaved];
    if (unsaved.length > 0 && !call.flag('force')) throw wouldLose(unsaved, folder);
    await mkdir(folder, { recursive: true });
    const downloads = new Downloads(api, folder, { id, version }, plan);
    try {
      await downloads.fetch(call.out);
      for (const [name, text] of Object.entries(files)) await writeInside(folder, name, text);
      await downloads.place();
    } finally {
      await downloads.end();
    }
    await memory.keepPage(
      { file: 'index.html', page_id: id, version },
      { ...plan.hashes, ...hashTexts(files) },
    );
    if (fn) await memory.keepFunction(fn.fields.slug, fn.version);
    const data = call.flag('data') ? await pullData(api, folder, id, call.out) : undefined;
    for (const path of plan.skipped) {
      call.out.note(`Left out ${path}: in a folder this name has another meaning. It stays on the server.`);
    }
    call.out.done(
      {
        folder,
        files: [...Object.keys(files), ...Object.keys(plan.hashes)],
        removed: plan.remove,
        page: { id, slug, version },
        ...(data && { data }),
      },
      `Downloaded ${slug} (version ${version}) to ${folder}.${sayFiles(plan)}`,
    );
  },
};

/** Nobody reads a list of 2,000 names. */
const MAX_NAMED = 10;

function wouldLose(unsaved: string[], folder: string): CommandError {
  const more = unsaved.length > MAX_NAMED ? ` and ${unsaved.length - MAX_NAMED} more` : '';
  return new CommandError(
    `Your changes to ${unsaved.slice(0, MAX_NAMED).join(', ')}${more} in ${folder} would be lost. Pull into another folder, or add --force to overwrite them.`,
    EXIT.conflict,
  );
}

function sayFiles({ hashes, write, remove }: PullPlan): string {
  const total = Object.keys(hashes).length;
  if (total === 0 && remove.length === 0) return '';
  const bytes = write.reduce((sum, { size }) => sum + size, 0);
  const size = bytes > 0 ? ` (${saySize(bytes)})` : '';
  const removed = remove.length > 0 ? `, ${remove.length.toLocaleString('en')} removed` : '';
  return `\n${write.length.toLocaleString('en')} of ${count(total, 'file')} downloaded${size}${removed}.`;
}

/** The files of a page's folder. */
function toFiles(
  { page, storageMode }: PageWithExtras,
  spec: AgentSpec,
  fn: { fields: PageJson['function']; files: Record<string, string> } | undefined,
): Record<string, string> {
  const type = findDataType(storageMode);
  const settings: PageJson = {
    ...Object.fromEntries(SAME_SETTINGS.map((name) => [name, { ...page, storage_mode: storageMode }[name]])),
    ...(isLimited(page.access) && { access: page.access }),
    features: Object.fromEntries(FEATURE_FLAGS.map((name) => [name, page[name]])),
    ...(type && {
      schemas: Object.fromEntries(
        selectSchemas(spec, storageMode).map(({ collection, schema }) => [collection, schema]),
      ),
    }),
    ...(page.agent_functions.length > 0 && { agent_functions: page.agent_functions }),
    ...(fn && { function: fn.fields }),
  };
  return {
    'index.html': page.html_content,
    'page.json': `${JSON.stringify(settings, null, 2)}\n`,
    // On another server the page has another id. Push replaces the placeholder.
    ...(spec.spec !== null && {
      'agent-spec.md': spec.spec.replaceAll(
        new RegExp(`(/api/pages/)${page.id}(?!\\d)`, 'g'),
        '$1{{PAGE_ID}}',
      ),
    }),
    ...fn?.files,
  };
}

/** An open page has no `access` in its folder: a later push must not open a page that was closed meanwhile. */
function isLimited({ mode, expires_at }: Access): boolean {
  return mode !== 'public' || expires_at !== undefined;
}

async function readFunction(api: Api, slug: string, folder: string, remote: PageFile[]) {
  const params = { slug };
  const found = await api.call(functionEndpoints.getFunction, { params });
  const { displayName, description, isPublic, hasDatabase, schedules = [] } = found;
  const planned = schedules.map(({ cron, timezone }) => ({ cron, timezone }));
  const { code, files, version } = await api.call(functionEndpoints.getFunctionCode, { params });
  const isApart = (path: string) =>
    path.startsWith('function/') ||
    (PROJECT_FILES.includes(path) && !remote.some((file) => file.path === path));
  const elsewhere = Object.keys(files).find((path) => !isApart(path));
  if (elsewhere !== undefined)
    throw new CommandError(
      `The function ${slug} has the file ${elsewhere.slice(0, 200)}, which would be a file of the page in a page folder. Download it with quire functions pull ${slug}.`,
    );
  const present = await findSource(folder, 'function').catch(() => undefined);
  const main = present ? basename(present.file) : chooseMainName('function', code, files);
  return {
    fields: {
      ...{ slug: found.slug, displayName, description, isPublic },
      ...(hasDatabase && { enableDatabase: true }),
      ...(planned.length > 0 && { schedules: planned }),
    },
    files: toLocalFiles(main, code, files),
    version,
  };
}

/** The function that the folder already has. */
async function readFunctionSlug(folder: string): Promise<string | undefined> {
  const text = await readInside(folder, 'page.json');
  return text === undefined ? undefined : parsePageJson(join(folder, 'page.json'), text).function?.slug;
}
