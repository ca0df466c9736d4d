import { stat } from 'node:fs/promises';
import { findSecret } from '../../contract/rules/projects/doubtful-files.ts';
import type { Call } from '../command.ts';
import { build, findOutput, findProject } from '../project/build.ts';
import { sayFault } from '../project/files/say-fault.ts';
import { findDoubts } from '../project/files/secrets.ts';
import type { PageFolder } from '../project/folder.ts';
import type { KnownPage } from '../project/memory.ts';
import { askLine, isAsked } from '../terminal/ask.ts';
import { CommandError, UsageError } from '../usage.ts';

const MAX_DOUBTS = 10;

export const ALLOW_SECRETS = {
  type: 'boolean',
  summary: 'also publish files that look like secrets or like a server',
} as const;

/** The folder to push: of a project, what its build makes. */
export async function findBuilt(path: string, call: Call): Promise<string> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
  const project = isFolder ? await findProject(path) : undefined;
  if (!project) return path;
  const said = project.command.join(' ');
  const output = await findOutput(path);
  const isWanted =
    call.flag('build') ||
    (isAsked() &&
      /^y(es)?$/i.test(await askLine(`${path} is a project. Run ${said} and push what it makes? [y/N] `)));
  if (isWanted) return build(project);
  throw new UsageError(
    `${path} is a project, and browsers need its build. Add --build to run ${said} and push what it makes${output === undefined ? '' : `, or push the last build: quire pages push ${output}`}.`,
  );
}

/** Asks before it publishes what looks like a secret. What the page has already was confirmed then. */
export async function confirmDoubts(
  { files = [], file, html }: PageFolder,
  known: KnownPage | undefined,
  mayAsk: boolean,
): Promise<void> {
  const sent = known?.files ?? {};
  const doubts = await findDoubts(files.filter(({ path, hash }) => sent[path] !== hash));
  const why = known ? undefined : findSecret(html);
  if (why !== undefined) doubts.unshift({ path: file, why: sayFault(why) });
  if (doubts.length === 0) return;
  const said = doubts.slice(0, MAX_DOUBTS).map(({ path, why }) => `${path} ${why}.`);
  const more = doubts.length > MAX_DOUBTS ? [`And ${doubts.length - MAX_DOUBTS} more.`] : [];
  const list = [...said, ...more].join('\n');
  if (
    mayAsk &&
    /^y(es)?$/i.test(await askLine(`${list}\nEveryone who sees the page could read this. Publish it? [y/N] `))
  )
    return;
  throw new CommandError(
    `${list}\nNothing was sent. Move these files away or name them in .quireignore, or add --allow-secrets to publish them.`,
  );
}
