import type { z } from 'zod';
import { ErrorBody } from '../../contract/error-body.ts';
import { Code, type CreateFunction, FunctionDetail } from '../../contract/functions.ts';
import { type Api, ApiError } from '../client/api.ts';
import { SourceError } from '../terminal/source-fault.ts';
import { CommandError, EXIT } from '../usage.ts';

/** The settings of a function. */
export type FunctionFields = Omit<z.input<typeof CreateFunction>, 'code'>;

const Deployed = FunctionDetail.pick({
  slug: true,
  workerUrl: true,
  hasDatabase: true,
  isPublic: true,
}).loose();
export type Deployed = z.infer<typeof Deployed>;
const Known = Deployed.extend(FunctionDetail.pick({ displayName: true, description: true }).shape);
const Place = ErrorBody.pick({ line: true, column: true }).required();

/** Decides which of the user's functions this folder can replace or share a database with. */
export type MayTouch = (slug: string) => Promise<boolean>;

export type Deploy = { action: 'created' | 'updated' | 'unchanged'; function: Deployed };

/** Creates or updates a function. If the module does not load, the error is shown with its line. */
export async function deploy(
  api: Api,
  fields: FunctionFields,
  code: { file: string; text: string },
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
      const body = { ...fields, code: code.text };
      return {
        action: 'created',
        function: await api.call('POST', '/api/functions', { body, reads: Deployed }),
      };
    }
    const isSame = Object.entries(texts).every(
      ([name, value]) => value === undefined || isEqual(known[name], value),
    );
    const deployed = isSame ? await api.call('GET', `${path}/code`, { reads: Code }) : undefined;
    if (deployed?.code === code.text) return { action: 'unchanged', function: known };
    // The new code would get the secrets and the database of the function.
    if (!(await mayTouch(slug))) throw strange(`You already have a function ${slug}`, api);
    const body = { ...texts, code: code.text };
    return { action: 'updated', function: await api.call('PATCH', path, { body, reads: Deployed }) };
  } catch (error) {
    throw explain(error, slug, code);
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

function explain(error: unknown, slug: string, { file, text }: { file: string; text: string }): unknown {
  if (!(error instanceof ApiError)) return error;
  const place = error.body.code === 'DEPLOY_FAILED' ? Place.safeParse(error.body).data : undefined;
  if (!place) return new ApiError(`The function ${slug}: ${error.message}`, error.status, error.body);
  const message = error.message.replace(/ \(line \d+, column \d+\)$/, '');
  return new SourceError(message, { file, text, ...place }, { status: error.status, ...error.body });
}
