import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pageEndpoints } from '../contract/pages/endpoints.ts';
import { type Api, createApi } from './client/api.ts';
import { connect, toBaseUrl } from './client/connect.ts';
import { type Command, SERVER_OPTION } from './command.ts';
import { type Published, publish } from './pages/publish.ts';
import { readPageFolder } from './project/folder.ts';
import { SourceError } from './terminal/source-fault.ts';
import { CommandError, UsageError } from './usage.ts';

const FOLDER = join(import.meta.dir, '../examples');
/** The codes of a server whose registry is off, does not answer, or that has no sandbox to compile in. */
const NO_PACKAGES = ['DEPLOY_FAILED', 'UNAVAILABLE', 'NOT_INSTALLED'];

export const examples: Command = {
  name: 'examples',
  usage: '[base_url token]',
  args: [0, 2],
  summary: 'publish or update the example pages',
  options: SERVER_OPTION,
  notes: `Other users of the machine can see a token in the arguments, and shells store it in their history. To avoid that, log\nin, or set QUIRE_URL and QUIRE_TOKEN, and give no arguments.`,
  async run(call) {
    const [baseUrl, token] = call.args;
    if (baseUrl && !token)
      throw new UsageError('quire examples [base_url token]: give both arguments, or log in and give none.');
    const api = baseUrl ? createApi(toBaseUrl(baseUrl, 'The URL'), token) : await connect(call);
    const isPage = (name: string) => existsSync(join(FOLDER, name, 'index.html'));
    const folders = (await readdir(FOLDER)).filter(isPage);
    const all: Published[] = [];
    const leftOut: LeftOut[] = [];
    for (const folder of folders.sort()) {
      const outcome = await publishExample(api, folder);
      if ('reason' in outcome) leftOut.push(outcome);
      else all.push(outcome);
      if (!call.out.isJson) call.out.done(undefined, describe(outcome));
    }
    if (call.out.isJson) call.out.result({ examples: all, leftOut }, '');
  },
};

/** An example that this server cannot run. */
interface LeftOut {
  name: string;
  reason: string;
}

async function publishExample(api: Api, name: string): Promise<Published | LeftOut> {
  const page = await readPageFolder(join(FOLDER, name));
  // No .quire.json here: the folder may belong to another user or be read-only.
  const target = await findOwn(api, page.settings.name ?? page.title);
  try {
    const { seal: _, ...published } = await publish(api, page, { target, deploying: { isForced: true } });
    return published;
  } catch (error) {
    if (!page.functions.some(({ source }) => source.text.includes("'npm:")) || !isWithoutPackages(error))
      throw error;
    return { name, reason: error instanceof SourceError ? error.fault : error.message };
  }
}

/** True if the server cannot get npm packages. The examples themselves are correct. */
function isWithoutPackages(error: unknown): error is CommandError {
  return error instanceof CommandError && NO_PACKAGES.includes(String(error.details.code));
}

function describe(outcome: Published | LeftOut): string {
  return 'reason' in outcome
    ? `left out   ${outcome.name}: ${outcome.reason}`
    : `${outcome.action.padEnd(10)} ${outcome.page.url}`;
}

/** The page of an earlier run. Its slug has a number if someone else already used that name. */
async function findOwn(api: Api, name: string): Promise<{ id: number } | undefined> {
  const stem = name.toLowerCase().replace(/[^a-z]+/g, '-');
  const { pages } = await api.call(pageEndpoints.listPages, { query: { limit: 100, q: name } });
  return pages.find((page) => page.name === name && page.slug.replace(/-\d+$/, '') === stem);
}
