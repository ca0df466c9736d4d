import type { Actors } from './actors.ts';
import type { Copy } from './context.ts';
import type { Findings } from './findings.ts';
import { shorten } from './send.ts';
import { findPassword, findSecrets } from './source/read-source.ts';

const PRIVATE =
  /(^|\/)\.?env(\.|$)|\.(sql|sqlite3?|db|bak|pem|key|p12|log)$|(^|\/)(users?|customers?|kunden|emails?|passwords?|secrets?|credentials|backup|orders)\.(csv|json|txt|xlsx?|ya?ml)$/i;

interface PageFile {
  path: string;
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
  for (const { path } of all.filter((each) => PRIVATE.test(each.path)).slice(0, 5))
    findings.add('private-file', {
      ...{ name: path, who: 'everyone' },
      proof: { request: `GET /p/${copy.page.slug}/${path}`, response: '200' },
    });
}
