import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PageRef } from '../contract/references.ts';
import { type Api, createApi } from './client/api.ts';
import { connect, toBaseUrl } from './client/connect.ts';
import { type Command, SERVER_OPTION } from './command.ts';
import { readPageFolder } from './pages/folder.ts';
import { type Published, publish } from './pages/publish.ts';
import { UsageError } from './usage.ts';

const FOLDER = join(import.meta.dir, '../examples');
const PageList = z.object({ pages: z.array(PageRef) });

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
    const entries = await readdir(FOLDER, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const all: Published[] = [];
    for (const folder of folders.sort()) {
      const page = await readPageFolder(join(FOLDER, folder));
      // No .quire.json here: the folder may belong to another user or be read-only.
      const target = await findOwn(api, page.settings.name ?? page.title);
      const published = await publish(api, page, { target, mayTouch: async () => true });
      all.push(published);
      if (!call.out.isJson) call.out.done(undefined, `${published.action.padEnd(10)} ${published.page.url}`);
    }
    if (call.out.isJson) call.out.result({ examples: all }, '');
  },
};

/** The page of an earlier run. Its slug has a number if someone else already used that name. */
async function findOwn(api: Api, name: string): Promise<{ id: number } | undefined> {
  const stem = name.toLowerCase().replace(/[^a-z]+/g, '-');
  const path = `/api/pages?limit=100&q=${encodeURIComponent(name)}`;
  const { pages } = await api.call('GET', path, { reads: PageList });
  return pages.find((page) => page.name === name && page.slug.replace(/-\d+$/, '') === stem);
}
