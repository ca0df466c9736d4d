import { CALLER_HEADERS } from '../../../../contract/functions/callers.ts';
import type { Failure } from './failures.ts';
import type { LiveFunction } from './registry.ts';

/** A call of a function of a page that failed because of its code. */
export interface FailedCall {
  pageId: number;
  function: string;
  /** What the visitor was: nobody, visitor, or a role on the team. */
  as: string;
  body: Uint8Array;
  error: string;
}

/** Tells who looks after the errors of pages about a call that its function is to blame for. */
export function reportFailure(
  callFailed: (call: FailedCall) => void,
  { pageId, slug, branchSlug }: Pick<LiveFunction, 'pageId' | 'slug' | 'branchSlug'>,
  { status, error }: Failure,
  { body, who }: { body: Uint8Array; who: Record<string, string> },
): void {
  if (pageId === null || branchSlug !== null || status === 503) return;
  const as = who[CALLER_HEADERS.teamRole] ?? (who[CALLER_HEADERS.userId] ? 'visitor' : 'nobody');
  callFailed({ pageId, function: slug, as, body, error });
}
