import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { ErrorBody } from '../../contract/error-body.ts';
import { withoutPlace } from '../../contract/errors.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { Code, Deployed, FunctionDetail, PatchFunction } from '../../contract/functions/functions.ts';
import { type Api, ApiError } from '../client/api.ts';
import type { LocalFunction } from '../project/function-folder.ts';
import type { FunctionSource } from '../project/function-source.ts';
import type { FolderMemory } from '../project/memory.ts';
import { hashTexts } from '../project/texts.ts';
import { SourceError } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';

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
  /** The page that a new function belongs to from the start. */
  pageId?: number | undefined;
}

export type Deploy = { action: 'created' | 'updated' | 'unchanged'; function: Deployed };

/** What a deploy would change. */
interface DeployPlan {
  local: LocalFunction;
  action: Deploy['action'];
  /** What the server has now. */
  present?: { detail: FunctionDetail; code: Code };
  body?: z.input<typeof PatchFunction>;
}

/** Creates or updates a function. If the module does not load, the error is shown with its line. */
export const deploy = async (api: Api, local: LocalFunction, deploying: Deploying): Promise<Deploy> =>
  applyDeploy(api, await planDeploy(api, local, deploying), deploying);

/** Finds out what a deploy would change, and changes nothing. Throws if the folder must not change the function. */
export async function planDeploy(
  api: Api,
  local: LocalFunction,
  { memory, isForced, chosenDatabase }: Deploying,
): Promise<DeployPlan> {
  const { slug, useDatabase } = local.fields;
  try {
    const detail = await api.find(functionEndpoints.getFunction, { params: { slug } });
    if (detail) return await planUpdate(api, local, { memory, isForced }, detail);
    // Code from someone else must not read the data of another function.
    const isNamed = useDatabase !== undefined && useDatabase !== chosenDatabase;
    if (isNamed && memory && !isForced && !(await isKnown(api, useDatabase, memory)))
      throw strange(`The function ${slug} would share the database of your function ${useDatabase}`, api);
    return { local, action: 'created' };
  } catch (error) {
    throw explain(error, slug, local.source);
  }
}

export async function applyDeploy(
  api: Api,
  { local, action, present, body }: DeployPlan,
  { memory, isForced, pageId }: Deploying,
): Promise<Deploy> {
  const { fields, source, texts } = local;
  const params = { slug: fields.slug };
  try {
    const deployed = present
      ? body
        ? await api.call(functionEndpoints.updateFunction, { params, body })
        : { ...present.detail, version: present.code.version }
      : await api.call(functionEndpoints.createFunction, { body: { ...fields, ...toBody(source), pageId } });
    const known = await memory?.fn(fields.slug);
    // A folder that happens to have the same code does not get the right to change it.
    if (memory && (action !== 'unchanged' || isForced || known?.seal === present?.code.folderSeal)) {
      const seal = (present?.code ?? (await readCode(api, fields.slug))).folderSeal;
      await memory.keepFunction({ ...params, version: deployed.version, seal, files: hashTexts(texts) });
    }
    return { action, function: deployed };
  } catch (error) {
    throw explain(error, fields.slug, source);
  }
}

const readCode = (api: Api, slug: string) =>
  api.call(functionEndpoints.getFunctionCode, { params: { slug } });

/** True if the function was pushed from the folder or pulled into it before. */
async function isKnown(api: Api, slug: string, memory: FolderMemory): Promise<boolean> {
  const known = await memory.fn(slug);
  return known !== undefined && known.seal === (await readCode(api, slug)).folderSeal;
}

async function planUpdate(
  api: Api,
  local: LocalFunction,
  { memory, isForced }: Deploying,
  detail: FunctionDetail,
): Promise<DeployPlan> {
  const { source } = local;
  const { slug, enableDatabase, useDatabase, ...settings } = local.fields;
  const isSame = Object.entries(settings).every(
    ([name, value]) => value === undefined || isEqual(detail[name as keyof typeof detail], value),
  );
  const code = await readCode(api, slug);
  const present = { detail, code };
  const isDeployed = code.code === source.text && isDeepStrictEqual(code.files, source.files);
  if (isSame && isDeployed) return { local, action: 'unchanged', present };
  const known = await memory?.fn(slug);
  // The new code would get the secrets and the database of the function.
  if (!isForced && known?.seal !== code.folderSeal) throw strange(`You already have a function ${slug}`, api);
  // A newer version by someone else is a conflict only if its code differs.
  const baseVersion = isForced || isDeployed ? code.version : (known?.version ?? 0);
  if (baseVersion !== code.version) throw conflict(baseVersion, code.version);
  const hadFiles = Object.keys(code.files).length > 0;
  const body = { ...settings, ...toBody(source), ...(hadFiles && { files: source.files }), baseVersion };
  return { local, action: 'updated', present, body };
}

/** The error that the server would respond with. It is known before anything is sent. */
function conflict(baseVersion: number, currentVersion: number): ApiError {
  return new ApiError(
    `The function is at version ${currentVersion}, not ${baseVersion}: someone changed it.`,
    409,
    { code: 'CONFLICT', currentVersion },
  );
}

/** Schedules and triggers are compared by what was sent: the server adds when they run, and what signs them. */
function isEqual(known: unknown, wanted: unknown): boolean {
  if (!Array.isArray(wanted)) return known === wanted;
  const sent = (list: unknown) =>
    (Array.isArray(list) ? list : []).map(({ cron, timezone = 'UTC', collection, actions, url }) =>
      JSON.stringify(collection === undefined ? [cron, timezone] : [collection, actions, url]),
    );
  return isDeepStrictEqual(sent(known), sent(wanted));
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
      `The function ${slug}: ${error.message}\nTo see what differs, run quire diff. To overwrite the other version, add --force (it stays in the history).`,
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
