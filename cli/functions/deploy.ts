import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { ErrorBody } from '../../contract/error-body.ts';
import { withoutPlace } from '../../contract/errors.ts';
import { type CreateFunction, FunctionDetail } from '../../contract/functions.ts';
import { type Api, ApiError } from '../client/api.ts';
import { SourceError } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';
import { type FunctionSource, SentCode } from './source.ts';

/** The settings of a function. */
export type FunctionFields = Omit<z.input<typeof CreateFunction>, 'code' | 'files'>;

const Deployed = FunctionDetail.pick({
  slug: true,
  workerUrl: true,
  hasDatabase: true,
  isPublic: true,
}).loose();
export type Deployed = z.infer<typeof Deployed>;
const Known = Deployed.extend(FunctionDetail.pick({ displayName: true, description: true }).shape);
const Place = ErrorBody.pick({ line: true, column: true })
  .required()
  .extend(ErrorBody.pick({ file: true }).shape);

/** Decides which of the user's functions this folder can replace or share a database with. */
export type MayTouch = (slug: string) => Promise<boolean>;

export type Deploy = { action: 'created' | 'updated' | 'unchanged'; function: Deployed };

/** Creates or updates a function. If the module does not load, the error is shown with its line. */
export async function deploy(
  api: Api,
  fields: FunctionFields,
  source: FunctionSource,
  mayTouch: MayTouch,
): Promise<Deploy> {
  const path = `/api/functions/${encodeURIComponent(fields.slug)}`;
  const { slug, enableDatabase, useDatabase, ...texts } = fields;
  try {
    const known = await api.find(path, Known);
    if (!known) {
      // Code from someone else must not read the data of another function.
      if (useDatabase !== undefined && !(await mayTouch(useDatabase))) {
        throw strange(`The function ${slug} would share the database of your function ${useDatabase}`, api);
      }
      const body = { ...fields, ...toBody(source) };
      return {
        action: 'created',
        function: await api.call('POST', '/api/functions', { body, reads: Deployed }),
      };
    }
    const isSame = Object.entries(texts).every(
      ([name, value]) => value === undefined || isEqual(known[name], value),
    );
    const deployed = await api.call('GET', `${path}/code`, { reads: SentCode });
    const isDeployed = deployed.code === source.text && isDeepStrictEqual(deployed.files, source.files);
    if (isSame && isDeployed) return { action: 'unchanged', function: known };
    // The new code would get the secrets and the database of the function.
    if (!(await mayTouch(slug))) throw strange(`You already have a function ${slug}`, api);
    const hadFiles = Object.keys(deployed.files).length > 0;
    const body = { ...texts, ...toBody(source), ...(hadFiles && { files: source.files }) };
    return { action: 'updated', function: await api.call('PATCH', path, { body, reads: Deployed }) };
  } catch (error) {
    throw explain(error, slug, source);
  }
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
    `${said}, which was never deployed to ${baseUrl} from this folder. Choose another slug in page.json, or add --force if you trust this code.`,
    EXIT.conflict,
  );
}

const toBody = ({ text, files }: FunctionSource) => ({
  code: text,
  ...(Object.keys(files).length > 0 && { files }),
});

function explain(error: unknown, slug: string, source: FunctionSource): unknown {
  if (!(error instanceof ApiError)) return error;
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
