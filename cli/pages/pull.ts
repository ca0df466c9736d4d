import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Code, FunctionDetail } from '../../contract/functions.ts';
import { FEATURE_FLAGS } from '../../contract/pages.ts';
import { dataTypeOf } from '../../contract/rules/storage-modes.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { readMemoryKey } from '../client/memory-key.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { CommandError, EXIT } from '../usage.ts';
import { writeWhole } from '../whole-file.ts';
import { pullData } from './data-files.ts';
import { findPageId, type Page, readPage, readSpec, type Spec, schemasOf } from './find.ts';
import { readInside } from './folder.ts';
import { findUnsaved, openMemory } from './memory.ts';
import { type PageJson, parsePageJson } from './page-json.ts';

const Known = FunctionDetail.pick({
  slug: true,
  displayName: true,
  description: true,
  isPublic: true,
  hasDatabase: true,
});

export const pagesPull: Command = {
  name: 'pages pull',
  usage: '<slug|id> [folder]',
  args: [1, 2],
  summary: 'download a page as a folder that you can push, here or to another server',
  options: {
    function: { type: 'string', value: 'slug', summary: 'also download this function, as function.js' },
    data: { type: 'boolean', summary: 'also download the records, as data/<collection>.ndjson' },
    force: { type: 'boolean', summary: 'overwrite files that you changed' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connect(call);
    const [slugOrId = '', wanted] = call.args;
    const page = await readPage(api, await findPageId(api, slugOrId));
    const { id, slug } = page.page;
    const folder = resolve(wanted ?? slug);
    const spec = await readSpec(api, id);
    const slugOfFunction = call.text('function') ?? (await functionOf(folder));
    const fn = slugOfFunction === undefined ? undefined : await readFunction(api, slugOfFunction);
    const files = toFiles(page, spec, fn);

    const memory = openMemory(folder, api.baseUrl, await readMemoryKey(call.environment));
    const known = await memory.page('index.html');
    const unsaved = call.flag('force')
      ? []
      : await findUnsaved(folder, known?.isOurs ? known : undefined, files);
    if (unsaved.length > 0) {
      throw new CommandError(
        `Your changes to ${unsaved.join(', ')} in ${folder} would be lost. Pull into another folder, or add --force to overwrite them.`,
        EXIT.conflict,
      );
    }
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text);
    const version = page.versionCount;
    await memory.keepPage({ file: 'index.html', page_id: id, version }, Object.keys(files));
    if (slugOfFunction !== undefined) await memory.keepFunction(slugOfFunction);
    const data = call.flag('data') ? await pullData(api, folder, id, call.out) : undefined;
    call.out.done(
      { folder, files: Object.keys(files), page: { id, slug, version }, ...(data && { data }) },
      `Downloaded ${slug} (version ${version}) to ${folder}.`,
    );
  },
};

/** The files of a page's folder. */
function toFiles(
  { page, storageMode }: Page,
  spec: Spec,
  fn: { fields: PageJson['function']; code: string } | undefined,
): Record<string, string> {
  const type = dataTypeOf(storageMode);
  const settings: PageJson = {
    name: page.name,
    slug: page.slug,
    description: page.description,
    storage_mode: storageMode,
    is_published: page.is_published,
    is_unlisted: page.is_unlisted,
    features: Object.fromEntries(FEATURE_FLAGS.map((name) => [name, page[name]])),
    ...(type && {
      schemas: Object.fromEntries(
        schemasOf(spec, storageMode).map(({ collection, schema }) => [collection, schema]),
      ),
    }),
    ...(page.agent_functions?.length && { agent_functions: page.agent_functions }),
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
    ...(fn && { 'function.js': fn.code }),
  };
}

async function readFunction(api: Api, slug: string) {
  const path = `/api/functions/${encodeURIComponent(slug)}`;
  const { hasDatabase, ...fields } = await api.call('GET', path, { reads: Known });
  const { code } = await api.call('GET', `${path}/code`, { reads: Code });
  return { fields: { ...fields, ...(hasDatabase && { enableDatabase: true }) }, code };
}

/** The function that the folder already has. */
async function functionOf(folder: string): Promise<string | undefined> {
  const text = await readInside(folder, 'page.json');
  return text === undefined ? undefined : parsePageJson(join(folder, 'page.json'), text).function?.slug;
}
