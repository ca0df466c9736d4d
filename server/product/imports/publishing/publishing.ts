import { functionEndpoints } from '../../../../contract/functions/endpoints.ts';
import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { callApi, type OwnApi, type OwnCaller } from '../../../platform/http/index.ts';

/** Publishing goes through the API, as if the person had sent the requests: scopes, quotas and limits are its. */
export interface Publishing {
  api: OwnApi;
  /** A step that has begun is finished, so that what it makes is known: its signal is not that of the client. */
  exchange: { caller: OwnCaller; signal: AbortSignal };
  /** Aborts when the client goes away. */
  client: AbortSignal;
}

/** What was made so far, to be removed if anything fails. */
export interface Made {
  page: { id: number } | null;
  functions: Array<{ slug: string }>;
}

/** How long removing what was made may take, after a failure. */
const UNDO_MS = 30_000;
/** How long one publication may take. */
const PUBLISH_MS = 5 * 60_000;

export function startPublishing(api: OwnApi, caller: OwnCaller, client: AbortSignal): Publishing {
  return { api, exchange: { caller, signal: AbortSignal.timeout(PUBLISH_MS) }, client };
}

/**
 * Makes several things, or nothing: if a step fails, or the client goes away before the last one, what was made is
 * removed again. A crash leaves functions and a draft.
 */
export async function makeAll<M extends Made, T>(
  publishing: Publishing,
  made: M,
  work: (made: M) => Promise<T>,
): Promise<T> {
  try {
    return await work(made);
  } catch (error) {
    await undo(publishing, made);
    throw error;
  }
}

/** Call this between steps. */
export function assertWanted({ client }: Publishing): void {
  client.throwIfAborted();
}

async function undo({ api, exchange }: Publishing, { page, functions }: Made): Promise<void> {
  const undoing = { ...exchange, signal: AbortSignal.timeout(UNDO_MS) };
  if (page) await callApi(api, undoing, pageEndpoints.deletePage, { params: { id: page.id } });
  for (const { slug } of functions)
    await callApi(api, undoing, functionEndpoints.deleteFunction, { params: { slug } });
}
