import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ErrorBody } from '../../contract/error-body.ts';
import { withoutPlace } from '../../contract/errors.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { Deployed, FunctionDetail, NewFunction } from '../../contract/functions/functions.ts';
import { type Api, ApiError } from '../client/api.ts';
import type { FunctionSource } from '../project/function-source.ts';
import type { FolderMemory } from '../project/memory.ts';
import { SourceError } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';

/** The settings of a function. */
export type FunctionFields = Omit<NewFunction, 'code' | 'files'>;

const Place = ErrorBody.pick({ line: true, column: true })
  .required()
  .extend(ErrorBody.pick({ file: true }).shape);

export interface Deploying {
  /** What was pushed from the folder before; undefined if that does not matter. */
  memory?: FolderMemory | undefined;
  /** Overwrites a function that this folder does not have, or has in another version. */
  isForced: boolean;
  /** The function whose database the user named in the command. */
  chosenDatabase?: string | undefined;
}

export type Deploy = { action: 'created' | 'updated' | 'unchanged'; function: Deployed };

/** Creates or updates a function. If the module does not load, the error is shown with its line. */
export async function deploy(
  api: Api,
  fields: FunctionFields,
  source: FunctionSource,
  deploying: Deploying,
): Promise<Deploy> {
  const { slug } = fields;
  try {
    const known = await api.find(functionEndpoints.getFunction, { params: { slug } });
    const made = known
      ? await update(api, fields, source, deploying, known)
      : await create(api, fields, source, deploying);
    // A folder that happens to have the same code does not get the right to change it.
    const isOwn = made.action !== 'unchanged' || deploying.isForced;
    if (isOwn || (await deploying.memory?.functionVersion(slug)) !== undefined)
      await deploying.memory?.keepFunction(slug, made.function.version);
    return made;
  } catch (error) {
    throw explain(error, slug, source);
  }
}

async function create(
  api: Api,
  fields: FunctionFields,
  source: FunctionSource,
  { memory, isForced, chosenDatabase }: Deploying,
): Promise<Deploy> {
  const { slug, useDatabase } = fields;
  // Code from someone else must not read the data of another function.
  const isNamed = useDatabase !== undefined && useDatabase !== chosenDatabase;
  if (isNamed && !isForced && (await memory?.functionVersion(useDatabase)) === undefined)
    throw strange(`The function ${slug} would share the database of your function ${useDatabase}`, api);
  const body = { ...fields, ...toBody(source) };
  return { action: 'created', function: await api.call(functionEndpoints.createFunction, { body }) };
}

async function update(
  api: Api,
  { slug, enableDatabase, useDatabase, ...texts }: FunctionFields,
  source: FunctionSource,
  { memory, isForced }: Deploying,
  known: FunctionDetail,
): Promise<Deploy> {
  const params = { slug };
  const isSame = Object.entries(texts).every(
    ([name, value]) => value === undefined || isEqual(known[name as keyof typeof known], value),
  );
  const deployed = await api.call(functionEndpoints.getFunctionCode, { params });
  const { version } = deployed;
  const isDeployed = deployed.code === source.text && isDeepStrictEqual(deployed.files, source.files);
  if (isSame && isDeployed) return { action: 'unchanged', function: { ...known, version } };
  // The new code would get the secrets and the database of the function.
  const remembered = isForced ? version : await memory?.functionVersion(slug);
  if (remembered === undefined) throw strange(`You already have a function ${slug}`, api);
  const hadFiles = Object.keys(deployed.files).length > 0;
  const body = {
    ...texts,
    ...toBody(source),
    ...(hadFiles && { files: source.files }),
    // A newer version by someone else is a conflict only if its code differs.
    baseVersion: isDeployed ? version : remembered,
  };
  const patched = await api.call(functionEndpoints.updateFunction, { params, body });
  return { action: 'updated', function: patched };
}

/** Schedules are compared by what was sent: the server adds when they run. */
function isEqual(known: unknown, wanted: unknown): boolean {
  if (!Array.isArray(wanted)) return known === wanted;
  const sent = (list: unknown) =>
    (Array.isArray(list) ? list : []).map(({ cron, timezone = 'UTC' }) => `${cron} ${timezone}`).join('\n');
  return sent(known) === sent(wanted);
}

function strange(said: string, { baseUrl }: Api): CommandError {
  return new CommandError(
    `${said}, which was never deployed to ${baseUrl} from this folder. Choose another slug, or add --force if you trust this code.`,
    EXIT.conflict,
  );
}

const toBody = ({ text, files }: FunctionSource) => ({
  code: text,
  ...(Object.keys(files).length > 0 && { files }),
});

function explain(error: unknown, slug: string, source: FunctionSource): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.status === 409 && error.body.currentVersion !== undefined) {
    return new CommandError(
      `The function ${slug}: ${error.message}\nTo see the current version, run quire functions pull ${slug} <another file>. To overwrite it, add --force (it stays in the history).`,
      EXIT.conflict,
      error.details,
    );
  }
  const place = error.body.code === 'DEPLOY_FAILED' ? Place.safeParse(error.body).data : undefined;
  if (!place) return new ApiError(`The function ${slug}: ${error.message}`, error.status, error.body);
  const message = withoutPlace(error.message, place);
  const module = place.file === undefined ? undefined : source.files[place.file];
  const found =
    place.file === undefined || module === undefined
      ? { file: source.file, text: source.text }
      : { file: join(dirname(source.file), place.file), text: module };
  return new SourceError(message, { ...place, ...found }, { status: error.status, ...error.body });
}
