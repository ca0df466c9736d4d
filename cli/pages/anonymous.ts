import { anonymousEndpoints } from '../../contract/pages/anonymous/endpoints.ts';
import { findSecret } from '../../contract/rules/projects/doubtful-files.ts';
import { createApi } from '../client/api.ts';
import { lastServer, toBaseUrl } from '../client/connect.ts';
import type { Call } from '../command.ts';
import { sayFault } from '../project/files/say-fault.ts';
import { readPageFolder } from '../project/folder.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';

/** Publishes one document without an account. It is a new page each time, so nothing is stored in its folder. */
export async function pushAnonymously(call: Call): Promise<void> {
  const [path = ''] = call.args;
  const page = await readPageFolder(path);
  if (page.files !== undefined)
    throw new UsageError(
      `--anonymous publishes one .html file without settings. Log in to push ${path} with everything in it.`,
    );
  const why = findSecret(page.html);
  if (why !== undefined && !call.flag('allow-secrets'))
    throw new CommandError(
      `${page.file} ${sayFault(why)}.\nNothing was sent. Remove it, or add --allow-secrets to publish it.`,
    );
  const named = call.text('server');
  const baseUrl = named ? toBaseUrl(named, '--server') : await lastServer(call.environment);
  const api = createApi(baseUrl, undefined);
  const made = await api.find(anonymousEndpoints.publishAnonymously, { body: { html_content: page.html } });
  if (!made)
    throw new CommandError(
      `${baseUrl} does not let people publish without an account. Run quire login ${baseUrl}, then push without --anonymous.`,
      EXIT.denied,
    );
  const lines = [
    `created    ${made.url}`,
    `           deleted at ${made.expires_at} unless you claim it`,
    `claim      ${made.claim}`,
    '           keep this link secret: the first person who claims the page with it owns it',
  ];
  // Also with --quiet: the link is not shown again.
  call.out.result(made, printable(lines.join('\n')));
}
