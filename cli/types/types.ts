import { stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative } from 'node:path';
import type { CollectionSchema } from '../../contract/data/collection-schema.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { WORKER_SETTINGS } from '../../contract/rules/projects/worker-settings.ts';
import { type Api, ApiError } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { readLocalFunction } from '../functions/local.ts';
import { readSpec } from '../pages/find.ts';
import { readInside } from '../project/files/inside.ts';
import { type PageFolder, readPageFolder } from '../project/folder.ts';
import type { LocalFunction } from '../project/function-folder.ts';
import { isGenerated, TYPES_FILE } from '../project/generated.ts';
import { writeInside } from '../project/texts.ts';
import { parseSettings } from '../project/worker.ts';
import { CommandError, EXIT } from '../usage.ts';
import { renderTypes } from './render.ts';

export const types: Command = {
  name: 'types',
  usage: '[folder|file]',
  args: [0, 1],
  summary:
    'write env.d.ts for the functions of a folder: the types of their env and of the records of the page',
  options: {
    force: { type: 'boolean', summary: 'also overwrite an env.d.ts that quire has not written' },
    ...SERVER_OPTION,
  },
  notes: `Without a folder, uses the current one. The file is beside the main module of a function with a folder of its own, and
otherwise in the folder of its modules. It is not sent with the function. The types of the database are those of
Cloudflare: npm install --save-dev @cloudflare/workers-types.`,
  async run(call) {
    const api = await connect(call);
    const [path = '.'] = call.args;
    const isPage = (await stat(join(path, 'index.html')).catch(() => undefined)) !== undefined;
    const page = isPage ? await readPageFolder(path) : undefined;
    const functions = page?.functions ?? [await readLocalFunction(path)];
    if (functions.length === 0) throw new CommandError(`${path} has no functions.`, EXIT.notFound);
    const texts = new Map<string, { folder: string; text: string }>();
    for (const local of functions) {
      const name = locate(local);
      const present = await readInside(local.folder, name);
      if (present !== undefined && !isGenerated(name, present) && !call.flag('force'))
        throw new CommandError(
          `${join(local.folder, name)} was not written by quire types. Move it, or add --force to overwrite it.`,
          EXIT.conflict,
        );
      texts.set(name, { folder: local.folder, text: renderTypes(await readEnvironment(api, local, page)) });
    }
    for (const [name, { folder, text }] of texts) await writeInside(folder, name, text);
    const written = [...texts].map(([name, { folder }]) => relative('.', join(folder, name)));
    call.out.done({ files: written }, `Wrote ${written.join(', ')}.`);
  },
};

/** Where the types of a function are, in the folder with `.quire.json`. */
function locate({ source, folder, under, texts }: LocalFunction): string {
  if (under !== '') return under + TYPES_FILE;
  const isAlone = Object.hasOwn(texts, 'function.json') && dirname(source.file) === folder;
  return isAlone ? TYPES_FILE : `${parse(source.file).name}/${TYPES_FILE}`;
}

/** What the function has on the server now, and what its folder says about it. */
async function readEnvironment(api: Api, { fields, source }: LocalFunction, page: PageFolder | undefined) {
  const params = { slug: fields.slug };
  const detail = await api.find(functionEndpoints.getFunction, { params });
  const list = detail
    ? await api.call(functionEndpoints.listSecrets, { params }).catch(ignoreOthers)
    : undefined;
  const schemas = page?.settings.schemas ?? (await readSchemas(api, detail?.page?.id));
  const hasPage = page !== undefined || schemas !== undefined;
  return {
    hasDatabase: detail?.hasDatabase ?? Boolean(fields.enableDatabase || fields.useDatabase),
    databaseNames: readDatabaseNames(source.files),
    secrets: (list?.secrets ?? []).map(({ name }) => name).sort(),
    collections: hasPage
      ? Object.fromEntries(
          Object.entries(schemas ?? {}).map(([name, schema]) => [
            name,
            (schema as CollectionSchema).fields ?? {},
          ]),
        )
      : undefined,
  };
}

/** Somebody else's function has no secrets for us. */
function ignoreOthers(error: unknown): undefined {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
  throw error;
}

async function readSchemas(api: Api, id: number | undefined): Promise<Record<string, unknown> | undefined> {
  if (id === undefined) return undefined;
  const { schemas } = await readSpec(api, id);
  return Object.fromEntries(schemas.map(({ collection, schema }) => [collection, schema]));
}

/** The names that the settings of a Worker give to its database. */
function readDatabaseNames(files: Record<string, string>): string[] {
  const file = WORKER_SETTINGS.find((name) => Object.hasOwn(files, name));
  const { d1_databases: found } = file === undefined ? {} : parseSettings(basename(file), files[file] ?? '');
  return (Array.isArray(found) ? found : []).flatMap((each: unknown) =>
    typeof each === 'object' && each !== null && 'binding' in each && typeof each.binding === 'string'
      ? [each.binding]
      : [],
  );
}
