import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { callApi } from '../../platform/http/index.ts';
import type { BuilderContext } from './context.ts';
import type { Run } from './run.ts';

/** Versions of functions that a run changes on a branch. Who rejects the draft gets those from before back. */

/** The version of a function; undefined if it cannot be read. */
export async function findVersion(
  context: BuilderContext,
  run: Run,
  { slug }: Record<string, unknown>,
): Promise<number | undefined> {
  const found = await callApi(context, run, functionEndpoints.getFunctionCode, {
    params: { slug: String(slug) },
  });
  return found.isOk ? found.body.version : undefined;
}

/** Says that a function has another version than before. Those that the run has deployed are deleted instead. */
export async function noteChange(
  context: BuilderContext,
  run: Run,
  input: Record<string, unknown>,
  from: number,
): Promise<BuilderEvent | undefined> {
  const slug = String(input.slug);
  if (run.functions.has(slug) || run.earlierFunctions.includes(slug)) return undefined;
  const to = await findVersion(context, run, input);
  return to === undefined || to === from ? undefined : { type: 'change', slug, from, to };
}
