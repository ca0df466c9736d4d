import type { BuilderRun } from '../../../contract/agents/builder.ts';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { functionVersionEndpoints } from '../../../contract/functions/version-endpoints.ts';
import { ApiError, call } from '../../api.ts';

type Changes = NonNullable<BuilderRun['changes']>;

/**
 * Makes what a draft has changed in functions of a branch what it was before. Returns those that somebody has changed since:
 * they stay as they are.
 */
export async function undoChanges(pageId: number, changes: Changes): Promise<string[]> {
  const kept: string[] = [];
  for (const { slug, from, to } of changes) {
    try {
      const { page } = await call(functionEndpoints.getFunction, { params: { slug } });
      const { version } = await call(functionEndpoints.getFunctionCode, { params: { slug } });
      if (version !== to || page?.id !== pageId) kept.push(slug);
      else await call(functionVersionEndpoints.restoreFunctionVersion, { params: { slug, version: from } });
    } catch (error) {
      // Somebody has deleted it.
      if (!isMissing(error)) throw error;
    }
  }
  return kept;
}

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;

/** Deletes the functions of a draft that nobody wants. Those that belong to another page by now stay. */
export async function discardFunctions(pageId: number, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    const params = { slug };
    try {
      const { page } = await call(functionEndpoints.getFunction, { params });
      if (page && page.id !== pageId) continue;
      await call(functionEndpoints.deleteFunction, { params });
    } catch (error) {
      // Somebody has deleted it.
      if (!isMissing(error)) throw error;
    }
  }
}
