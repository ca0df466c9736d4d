import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { readLocalFunction } from '../functions/local.ts';
import { readPageFolder } from '../project/folder.ts';
import { count } from '../terminal/amounts.ts';
import { colours, printable } from '../terminal/colours.ts';
import { EXIT } from '../usage.ts';
import { compareFunction } from './function.ts';
import { comparePage } from './page.ts';

export const diff: Command = {
  name: 'diff',
  usage: '[folder|file]',
  args: [0, 1],
  summary:
    'show what differs between a folder and the server, for a page with its functions or for a function',
  options: SERVER_OPTION,
  notes: `Without a folder, compares the current one. What is only in the folder starts with +, and what is only on the server
with -. Of page.json and function.json, only what they name is compared. Exits with 0 if there is no difference, and
with 1 if there is one.`,
  async run(call) {
    const api = await connect(call);
    const [path = '.'] = call.args;
    const { out } = call;
    const paint = out.isJson ? colours(false) : out.paint;
    const changes = (await isPage(path))
      ? await comparePage(api, await readPageFolder(path), paint)
      : await compareFunction(api, await readLocalFunction(path), paint);
    const shown = changes.map(
      ({ path: name, change, diff: lines }) => lines || printable(SAID[change](name)),
    );
    out.result({ same: changes.length === 0, changes }, shown.join('\n'));
    if (changes.length === 0) return out.note('No difference.');
    out.note(`${count(changes.length, 'file')} ${changes.length === 1 ? 'differs' : 'differ'}.`);
    call.exitWith(EXIT.failed);
  },
};

const SAID = {
  added: (path: string) => `Only in the folder: ${path}`,
  removed: (path: string) => `Only on the server: ${path}`,
  changed: (path: string) => `Different, and not text: ${path}`,
};

async function isPage(path: string): Promise<boolean> {
  if (/\.html?$/i.test(path)) return true;
  return (await stat(join(path, 'index.html')).catch(() => undefined)) !== undefined;
}
