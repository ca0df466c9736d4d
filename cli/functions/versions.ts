import { functionVersionEndpoints } from '../../contract/functions/version-endpoints.ts';
import type { FunctionVersionDetail } from '../../contract/functions/versions.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import type { Paint } from '../terminal/colours.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { diffFile } from '../terminal/file-diff.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';

const functionsVersions: Command = {
  name: 'functions versions',
  usage: '<slug>',
  args: [1, 1],
  summary: 'list the versions of a function, newest first',
  options: SERVER_OPTION,
  async run(call) {
    const [slug = ''] = call.args;
    const list = await listVersions(await connect(call), slug);
    const rows = list.versions.map(({ version, createdAt, size, current }) => [
      version,
      createdAt.slice(0, 19).replace('T', ' '),
      size,
      current ? 'current' : '',
    ]);
    call.out.result(list, columns(['version', 'created (UTC)', 'bytes', ''], rows, call.out.paint.bold));
  },
};

const functionsDiff: Command = {
  name: 'functions diff',
  usage: '<slug> [version] [version]',
  args: [1, 3],
  summary: 'show what changed between two versions of a function',
  options: SERVER_OPTION,
  notes:
    'With one version, compares it with the current one. Without, compares the current one with the one before.',
  async run(call) {
    const [slug = '', ...given] = call.args;
    given.forEach(assertVersion);
    const api = await connect(call);
    const [from = 0, to = 0] =
      given.length === 2 ? given.map(Number) : await chooseVersions(api, slug, given[0]);
    const read = (version: number) =>
      api.call(functionVersionEndpoints.getFunctionVersion, { params: { slug, version } });
    const [before, after] = await Promise.all([read(from), read(to)]);
    const diff = await compare(slug, before, after, call.out.paint);
    call.out.result({ slug, from, to, diff }, diff || `Versions ${from} and ${to} are the same.`);
  },
};

const functionsRestore: Command = {
  name: 'functions restore',
  usage: '<slug> <version>',
  args: [2, 2],
  summary: 'restore the code of an earlier version as a new version',
  options: SERVER_OPTION,
  notes:
    'The version is loaded first. If it no longer loads, the current one keeps serving. Secrets and the database stay as they are.',
  async run(call) {
    const [slug = '', wanted = ''] = call.args;
    assertVersion(wanted);
    const api = await connect(call);
    const { message, version } = await api.call(functionVersionEndpoints.restoreFunctionVersion, {
      params: { slug, version: wanted },
    });
    call.out.done({ slug, message, version }, printable(message));
  },
};

export const functionVersionCommands = [functionsVersions, functionsDiff, functionsRestore];

const listVersions = (api: Api, slug: string) =>
  api.call(functionVersionEndpoints.listFunctionVersions, { params: { slug } });

function assertVersion(version: string): void {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new UsageError(`${version} is not a version number.`);
}

/** The given version and the current one, or the current one and the one before. */
async function chooseVersions(api: Api, slug: string, given: string | undefined): Promise<number[]> {
  const [current, previous] = (await listVersions(api, slug)).versions;
  if (!current) throw new CommandError(`${slug} has no versions.`, EXIT.notFound);
  if (given !== undefined) return [Number(given), current.version];
  if (previous) return [previous.version, current.version];
  throw new CommandError(`${slug} has only one version.`, EXIT.notFound);
}

type Sources = Pick<FunctionVersionDetail, 'version' | 'code' | 'files'>;

/** The code and the files that differ, as one patch. */
async function compare(slug: string, before: Sources, after: Sources, paint: Paint): Promise<string> {
  const paths = [...new Set([...Object.keys(before.files), ...Object.keys(after.files)])].sort();
  const parts = [
    { name: '', old: before.code, now: after.code },
    ...paths.map((path) => ({
      name: `/${path}`,
      old: before.files[path],
      now: after.files[path],
    })),
  ];
  const texts = await Promise.all(
    parts.map(async ({ name, old, now }) => {
      const names: [string, string] = [`${slug}@${before.version}${name}`, `${slug}@${after.version}${name}`];
      return diffFile({ names, before: old, after: now }, paint);
    }),
  );
  return texts.flat().join('\n');
}
