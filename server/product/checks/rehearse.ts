import { CheckBody } from '../../../contract/checks/page-check.ts';
import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import { checkPage } from './check.ts';
import type { ChecksContext } from './context.ts';

const TIMEOUT_MS = 60_000;

/** What goes wrong on a page, in the words of its own errors. Undefined if it cannot be opened here. */
export async function rehearse(
  context: ChecksContext,
  owner: Actor,
  pageId: number,
): Promise<string[] | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const body = CheckBody.parse({ as: 'owner' });
    const { errors, failedRequests } = await checkPage(context, owner, String(pageId), body, signal);
    return [
      ...errors.map(({ message }) => message),
      ...failedRequests.map(({ url, status }) => `${status} ${url}`),
    ];
  } catch (error) {
    // Without a browser, or with too many checks at once, a merge is not rehearsed in one.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
