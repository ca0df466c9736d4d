import type { Actors } from './actors.ts';
import type { Copy } from './context.ts';
import type { Findings } from './findings.ts';
import { shorten } from './send.ts';
import { listsPeople } from './source/people-lists.ts';
import { findPassword, findSecrets } from './source/read-source.ts';

const PRIVATE =
  /(^|\/)\.?env(\.|$)|\.(sql|sqlite3?|db|bak|pem|key|p12|log)$|(^|\/)(users?|customers?|kunden|emails?|passwords?|secrets?|credentials|backup|orders)\.(csv|json|txt|xlsx?|ya?ml)$/i;

const LISTS = /\.(csv|tsv|json|txt)$/i;
const MAX_FOUND = 5;
const MAX_LISTS = 20;
const MAX_LIST_BYTES = 256 * 1024;

interface PageFile {
  path: string;
  size: number;
}

/** Looks for what must not be in something that is sent to everyone. */
export async function attackSource(
  actors: Actors,
  copy: Copy,
  files: readonly { name: string; text: string }[],
  findings: Findings,
): Promise<void> {
  for (const { name, text } of files) {
    for (const { what, shown } of findSecrets(text))
      findings.add('secret-in-page', {
        ...{ name, fields: what, who: 'everyone' },
        proof: { request: `GET ${name}`, response: shown },
      });
    const password = findPassword(text);
    if (password !== undefined)
      findings.add('password-in-page', {
        who: 'everyone',
        proof: { request: `GET ${name}`, response: shorten(password) },
      });
  }
  const listed = await actors.send('owner', 'GET', `/api/pages/${copy.page.id}/files`);
  const { files: all = [] } = (listed.json ?? {}) as { files?: PageFile[] };
  const isPeople = async ({ path, size }: PageFile) => {
    if (!LISTS.test(path) || size > MAX_LIST_BYTES) return false;
    const address = path.split('/').map(encodeURIComponent).join('/');
    const { text } = await actors.send('owner', 'GET', `/api/pages/${copy.page.id}/files/${address}`);
    return listsPeople(text);
  };
  const found = all.filter((each) => PRIVATE.test(each.path));
  const others = all.filter((each) => !found.includes(each) && LISTS.test(each.path)).slice(0, MAX_LISTS);
  for (const file of others) if (await isPeople(file)) found.push(file);
  for (const { path } of found.slice(0, MAX_FOUND))
    findings.add('private-file', {
      ...{ name: path, who: 'everyone' },
      proof: { request: `GET /p/${copy.page.slug}/${path}`, response: '200' },
    });
}
