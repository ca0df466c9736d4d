import { hasRouter } from '../../contract/rules/projects/builds.ts';
import { type Api, ApiError } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { RECORDS } from '../project/files/left-out.ts';
import { documentPath, type PageFolder, readPageFolder } from '../project/folder.ts';
import { type FolderMemory, type KnownPage, openMemory } from '../project/memory.ts';
import { hashTexts } from '../project/texts.ts';
import { count, saySize } from '../terminal/amounts.ts';
import { isAsked } from '../terminal/ask.ts';
import { printable } from '../terminal/colours.ts';
import type { Output } from '../terminal/output.ts';
import { CommandError, EXIT } from '../usage.ts';
import { pushAnonymously } from './anonymous.ts';
import { ALLOW_SECRETS, confirmDoubts, findBuilt } from './before-push.ts';
import { pushData } from './data-files.ts';
import { removeDevDraft } from './drafts/dev-draft.ts';
import { findKnownPage, lookUp, readPage } from './find.ts';
import { type Published, publish, type Target } from './publish.ts';
import { printLeftOut, printWarnings } from './warnings.ts';

export const pagesPush: Command = {
  name: 'pages push',
  usage: '<folder|file.html>',
  args: [1, 1],
  summary: 'publish or update a page',
  options: {
    name: {
      type: 'string',
      value: 'name',
      summary: 'its name; default: from page.json, and for a new page its title',
    },
    slug: { type: 'string', value: 'slug', summary: 'the last part of its URL' },
    description: { type: 'string', value: 'text', summary: 'a short description' },
    'storage-mode': { type: 'string', value: 'mode', summary: 'page, solo_app, team_app or social_app' },
    draft: {
      type: 'boolean',
      summary: 'do not publish the page (for a draft beside it: quire pages drafts save)',
    },
    unlisted: { type: 'boolean', summary: 'publish it, but ask search engines not to index it' },
    spa: { type: 'boolean', summary: 'show the page itself at addresses below it that match no file' },
    build: { type: 'boolean', summary: 'build the project in the folder first, and push what it makes' },
    'allow-secrets': ALLOW_SECRETS,
    data: {
      type: 'boolean',
      summary: 'also add the records in data/*.ndjson to empty collections',
    },
    anonymous: {
      type: 'boolean',
      summary: 'publish one .html file for 24 hours without an account, where the server allows it',
    },
    force: {
      type: 'boolean',
      summary:
        "overwrite someone else's newer version (it stays in the history), or a page or function that was not pushed from this folder",
    },
    ...SERVER_OPTION,
  },
  notes: `The folder contains index.html, the files of the page and optionally page.json, agent-spec.md and
function.ts or function.js, whose further modules are in the folder function.
Only what changed is sent. Names that start with a dot, node_modules and what .quireignore names (with the patterns of
.gitignore) are left out, and push says so. quire pages pull creates such a folder. .quire.json stores the page, its server and the version
that you have: commit it, and a clone can push too.`,
  async run(call) {
    if (call.flag('anonymous')) return pushAnonymously(call);
    const api = await connect(call);
    const [path = ''] = call.args;
    const page = withOptions(await readPageFolder(await findBuilt(path, call)), call);
    const published = await push(api, page, {
      doubts: call.flag('allow-secrets') ? 'allow' : isAsked() ? 'ask' : 'refuse',
      isForced: call.flag('force'),
      out: call.out,
    });
    printWarnings(call.out, documentPath(path, page), page.html, published.warnings);
    const left = page.left.filter(({ why }) => !(call.flag('data') && why === RECORDS));
    printLeftOut(call.out, left);
    const data = call.flag('data')
      ? await pushData(api, page.folder, published.page.id, call.out)
      : undefined;
    const { action, page: made } = published;
    if (page.project && hasRouter(page.project) && page.settings.spa === undefined)
      call.out.note('This app has a router. Push with --spa, so that people can reload its addresses.');
    const first = printable(`${action.padEnd(10)} ${made.url} (version ${made.version})`);
    const said = sayFiles(published);
    call.out.done(
      { ...published, left, ...(data && { data }) },
      said ? `${first}\n${' '.repeat(11)}${said}` : first,
    );
    if (data?.some(({ failed }) => failed.length > 0)) call.exitWith(EXIT.failed);
  },
};

interface Pushing {
  isForced: boolean;
  /** What to do with files that look like secrets. */
  doubts: 'ask' | 'refuse' | 'allow';
  out: Output;
}

/** Publishes a folder and records the page in .quire.json. */
export async function push(
  api: Api,
  page: PageFolder,
  { isForced, doubts, out }: Pushing,
): Promise<Published> {
  const { folder, file } = page;
  const memory = openMemory(folder, api.baseUrl);
  const target = await findTarget(api, page, memory, isForced);
  if (doubts !== 'allow') await confirmDoubts(page, target?.known, doubts === 'ask');
  try {
    const { seal, ...published } = await publish(api, page, {
      target,
      deploying: { memory, isForced },
      onCreated: (id, made) =>
        memory.keepPage({ file, page_id: id, version: 1, seal: made, unfinished: true, files: {} }),
      out,
    });
    const { id, version } = published.page;
    await memory.keepPage({ file, page_id: id, version, seal, files: hashFolder(page) });
    if (target) await removeDevDraft(api, page, id);
    return published;
  } catch (error) {
    throw target ? explain(error, target.id, api) : error;
  }
}

/** The hashes of everything in a folder that is sent, except the functions. */
export function hashFolder({ files = [], texts }: PageFolder): Record<string, string> {
  return { ...Object.fromEntries(files.map(({ path, hash }) => [path, hash])), ...hashTexts(texts) };
}

/** `3 of 500 files sent (1.2 MB), 1 removed`; undefined if the page has no files. */
export function sayFiles({ files }: Published): string | undefined {
  if (!files) return undefined;
  const { total, sent, bytes, removed } = files;
  const size = sent > 0 ? ` (${saySize(bytes)})` : '';
  return `${sent.toLocaleString('en')} of ${count(total, 'file')} sent${size}${removed > 0 ? `, ${removed.toLocaleString('en')} removed` : ''}`;
}

/** The page of a folder on this server: the recorded one, or the caller's page with that slug. */
export async function findTarget(
  api: Api,
  page: PageFolder,
  memory: FolderMemory,
  isForced: boolean,
): Promise<(Target & { known?: KnownPage }) | undefined> {
  const known = await memory.page(page.file);
  const own = await findKnownPage(api, memory, page.file).catch((error: unknown) => {
    throw known ? explain(error, known.page_id, api) : error;
  });
  if (own) {
    const isUnfinished = own.known.unfinished === true;
    return { id: own.read.page.id, isUnfinished, ...own, ...(!isForced && { version: own.known.version }) };
  }
  const { slug } = page.settings;
  const found = slug === undefined ? undefined : await lookUp(api, slug);
  // Earlier slugs of a page can be reused.
  if (!found || found.slug !== slug) {
    if (!known || isForced) return undefined;
    throw new CommandError(
      `.quire.json says that this folder is the page ${known.page_id} at ${api.baseUrl}, but cannot prove it. Download that page with quire pages pull ${known.page_id} <another folder>, or delete .quire.json to publish this folder as a new page.`,
      EXIT.conflict,
    );
  }
  const taken = await readPage(api, found.id).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
    throw new CommandError(
      `The slug ${slug} is already used at ${api.baseUrl}. Choose another with --slug.`,
      EXIT.conflict,
    );
  });
  if (isForced) return { id: taken.page.id };
  throw new CommandError(
    `You have a page at ${api.baseUrl}/p/${slug} that was not pushed from this folder. Download it with quire pages pull ${slug}, or add --force to overwrite it.`,
    EXIT.conflict,
  );
}

function explain(error: unknown, id: number, api: Api): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.status === 409 && error.body.currentVersion !== undefined) {
    return new CommandError(
      `${error.message}\nTo see what differs, run quire diff. To overwrite the other version, add --force (it stays in the history).`,
      EXIT.conflict,
      error.details,
    );
  }
  if (error.status !== 404) return error;
  return new CommandError(
    `The page of this folder (id ${id}) no longer exists at ${api.baseUrl}. Delete .quire.json to publish the folder as a new page.`,
    EXIT.notFound,
    error.details,
  );
}

function withOptions(page: PageFolder, call: Call): PageFolder {
  const given = {
    name: call.text('name'),
    slug: call.text('slug'),
    description: call.text('description'),
    storage_mode: call.text('storage-mode'),
    is_published: call.flag('draft') ? false : undefined,
    is_unlisted: call.flag('unlisted') || undefined,
    spa: call.flag('spa') || undefined,
  };
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...page, settings: { ...page.settings, ...settings } };
}
