import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { PageFile } from '../../contract/pages/files/page-file.ts';
import type { PageWithExtras } from '../../contract/pages/pages.ts';
import { type Api, notFromQuire } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import {
  findRemoteFunction,
  keepPulled,
  type PulledFunction,
  planFolder,
  planPulled,
  type RemoteFunction,
} from '../functions/download.ts';
import { readInside } from '../project/files/inside.ts';
import { isOwnPath } from '../project/folder.ts';
import { functionFolder } from '../project/function-folder.ts';
import { chooseMainName, findSource, PROJECT_FILES, toLocalFiles } from '../project/function-source.ts';
import { type FolderMemory, openMemory } from '../project/memory.ts';
import { parsePageJson } from '../project/page-json.ts';
import { applyTexts, hashTexts, planTexts, wouldLose } from '../project/texts.ts';
import { count, saySize } from '../terminal/amounts.ts';
import { printable } from '../terminal/colours.ts';
import type { Output } from '../terminal/output.ts';
import { CommandError } from '../usage.ts';
import { pullData } from './data-files.ts';
import { type PullPlan, planPull } from './files/compare.ts';
import { Downloads } from './files/download.ts';
import { readFiles } from './files/remote.ts';
import { findPageId, readPage, readSpec } from './find.ts';
import { toPageTexts } from './page-texts.ts';

export const pagesPull: Command = {
  name: 'pages pull',
  usage: '<slug|id> [folder]',
  args: [1, 2],
  summary: 'download a page with its functions as a folder that you can push, here or to another server',
  options: {
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
    const memory = openMemory(folder, api.baseUrl);
    const [spec, remote] = await Promise.all([readSpec(api, id), readFiles(api, id, version)]);
    const functions = await planFunctions(api, page, { folder, memory, remote, out: call.out });
    const beside = functions.find(({ under }) => under === '');
    const files = toPageTexts(page, spec, beside?.remote.fields);

    const remembered = await memory.page('index.html');
    const known = remembered?.page_id === id && remembered.seal === page.folderSeal ? remembered.files : {};
    const isOwn = isOwnPath({ functions });
    const plan = await planPull(folder, remote, known, isOwn);
    const isText = (path: string) => PAGE_TEXTS.includes(path);
    const texts = [await planTexts(folder, files, known, isText), ...functions.map((each) => each.plan)];
    const unsaved = [...texts.flatMap((each) => each.unsaved), ...plan.unsaved];
    if (unsaved.length > 0 && !call.flag('force')) throw wouldLose(unsaved, folder);
    await mkdir(folder, { recursive: true });
    const downloads = new Downloads(api, folder, { id, version }, plan);
    try {
      await downloads.fetch(call.out);
      for (const each of texts) await applyTexts(folder, each);
      await downloads.place();
    } finally {
      await downloads.end();
    }
    const hashes = { ...plan.hashes, ...hashTexts(files) };
    const { folderSeal: seal } = page;
    await memory.keepPage({ file: 'index.html', page_id: id, version, seal, files: hashes });
    for (const each of functions) await keepPulled(memory, each);
    const data = call.flag('data') ? await pullData(api, folder, id, call.out) : undefined;
    for (const path of plan.skipped) {
      call.out.note(`Left out ${path}: in a folder this name has another meaning. It stays on the server.`);
    }
    const written = [files, ...functions.map((each) => each.texts)].flatMap((each) => Object.keys(each));
    call.out.done(
      {
        folder,
        files: [...written, ...Object.keys(plan.hashes)],
        removed: [...texts.flatMap((each) => each.remove), ...plan.remove],
        page: { id, slug, version },
        functions: functions.map((each) => ({ slug: each.remote.slug, version: each.remote.version })),
        ...(data && { data }),
      },
      `Downloaded ${slug} (version ${version}) to ${folder}.${sayFiles(plan)}${sayFunctions(functions)}`,
    );
  },
};

/** Texts in the folder of a page that are not modules of a function. */
const PAGE_TEXTS = ['index.html', 'page.json', 'agent-spec.md'];

function sayFunctions(functions: PulledFunction[]): string {
  if (functions.length === 0) return '';
  return `\nWith ${functions.map(({ remote }) => `${remote.slug} (version ${remote.version})`).join(', ')}.`;
}

function sayFiles({ hashes, write, remove }: PullPlan): string {
  const total = Object.keys(hashes).length;
  if (total === 0 && remove.length === 0) return '';
  const bytes = write.reduce((sum, { size }) => sum + size, 0);
  const size = bytes > 0 ? ` (${saySize(bytes)})` : '';
  const removed = remove.length > 0 ? `, ${remove.length.toLocaleString('en')} removed` : '';
  return `\n${write.length.toLocaleString('en')} of ${count(total, 'file')} downloaded${size}${removed}.`;
}

interface PlanContext {
  folder: string;
  memory: FolderMemory;
  remote: PageFile[];
  out: Output;
}

/** The functions of a page: beside the document if the folder has one there, and in folders of their own. */
async function planFunctions(
  api: Api,
  { page }: PageWithExtras,
  { folder, memory, remote, out }: PlanContext,
): Promise<PulledFunction[]> {
  const beside = await readFunctionSlug(folder);
  const slugs = new Set([...(beside === undefined ? [] : [beside]), ...page.functions]);
  const planned: PulledFunction[] = [];
  for (const slug of slugs) {
    const found = await findRemoteFunction(api, slug);
    if (!found) out.note(printable(`Left out the function ${slug}: you cannot read its code.`));
    else if (slug === beside) planned.push(await planBeside(found, folder, memory, remote));
    else planned.push(await planFolder(found, { root: folder, under: functionFolder(slug) }, memory));
  }
  return planned;
}

/** The function whose main module is beside the document. */
async function planBeside(
  found: RemoteFunction,
  folder: string,
  memory: FolderMemory,
  remote: PageFile[],
): Promise<PulledFunction> {
  const { slug, code, files } = found;
  const isApart = (path: string) =>
    path.startsWith('function/') ||
    (PROJECT_FILES.includes(path) && !remote.some((file) => file.path === path));
  const elsewhere = Object.keys(files).find((path) => !isApart(path));
  if (elsewhere !== undefined)
    throw new CommandError(
      `The function ${slug} has the file ${elsewhere.slice(0, 200)}, which would be a file of the page in a page folder. Delete function.ts or function.js, and "function" in page.json; the function gets a folder of its own then.`,
    );
  const present = await findSource(folder, 'function').catch(() => undefined);
  const main = present ? basename(present.file) : chooseMainName('function', code, files);
  return planPulled(found, toLocalFiles(main, code, files), { root: folder, under: '' }, memory);
}

/** The function that the folder already has beside its document. */
async function readFunctionSlug(folder: string): Promise<string | undefined> {
  const text = await readInside(folder, 'page.json');
  return text === undefined ? undefined : parsePageJson(join(folder, 'page.json'), text).function?.slug;
}
