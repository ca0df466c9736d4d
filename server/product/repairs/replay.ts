import { setTimeout as pause } from 'node:timers/promises';
import type { PageError } from '../../../contract/analytics/analytics.ts';
import type { ErrorCall, ErrorVisit, KeptContext } from '../../../contract/analytics/visits.ts';
import { checkEndpoints } from '../../../contract/checks/endpoints.ts';
import type { CheckWish, PageCheck } from '../../../contract/checks/page-check.ts';
import { callEndpoints } from '../../../contract/functions/call-endpoints.ts';
import { TEST_AS_NOBODY, TEST_AS_OWNER, TEST_AS_PARAM } from '../../../contract/functions/call-tickets.ts';
import { OWN_ANSWER_HEADER } from '../../../contract/functions/functions.ts';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import type { Replay } from '../../../contract/repairs/repairs.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { callApi, requireApi } from '../../platform/http/index.ts';
import type { RepairCaller, RepairsContext } from './context.ts';
import { isSame } from './match.ts';

const MIN_WIDTH = 320;
const MAX_WIDTH = 1920;
const MAX_OTHERS = 10;
const MAX_LETTERS = 500;
/** How long to try again while other pages are being checked, and how long to wait in between. */
const PATIENCE_MS = 120_000;
const RETRY_MS = 5_000;

/** What replays work on. */
export interface Stage {
  caller: RepairCaller;
  signal: AbortSignal;
  branch: Branch;
  error: PageError & { context: KeptContext };
  /** Whether everyone can open the branch, as they can open its page. */
  isOpen: boolean;
}

/** Does once what led to the error. */
export function replay(context: RepairsContext, stage: Stage): Promise<Omit<Replay, 'tries'>> {
  const { context: kept } = stage.error;
  return kept.kind === 'call' ? replayCall(context, stage, kept) : replayVisit(context, stage, kept);
}

async function replayCall(
  context: RepairsContext,
  { branch, caller, signal }: Stage,
  { function: name, as, body }: ErrorCall,
): Promise<Omit<Replay, 'tries'>> {
  const slug = branch.functions.find((each) => each.name === name)?.slug;
  if (slug === undefined) throw notFound('The branch has no function {name}.', { name });
  const {
    status,
    headers,
    exception,
    body: answer,
  } = await requireApi(context, { caller, signal }, callEndpoints.testFunction, {
    params: { slug },
    query: { [TEST_AS_PARAM]: as === 'nobody' ? TEST_AS_NOBODY : TEST_AS_OWNER },
    raw: { type: 'application/json', content: body },
  });
  // Only answers that Quire makes itself are reported as errors. What the function answers is not.
  const isOurs = OWN_ANSWER_HEADER in headers;
  if (isOurs && status === 503)
    throw new AppError('UNAVAILABLE', 'The function could not be called. Try again in a moment.');
  const failed = exception !== null || isOurs;
  const said = exception?.message ?? `${status} ${answer ?? ''}`;
  return {
    failed,
    error: failed ? said.slice(0, MAX_LETTERS) : null,
    others: [],
    steps: [],
    screenshot: null,
  };
}

async function replayVisit(
  context: RepairsContext,
  stage: Stage,
  { path, as, width, steps }: ErrorVisit,
): Promise<Omit<Replay, 'tries'>> {
  const check = await checkBranch(context, stage, {
    // Who cannot open the branch would see nothing of it.
    as: stage.isOpen || isMember(as) ? as : 'owner',
    width: Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH),
    ...(path !== '' && { path }),
    ...(steps.length > 0 && { steps }),
  });
  const found = check.errors.find((each) => isSame(stage.error, each));
  const others = check.errors.filter((each) => !isSame(stage.error, each));
  return {
    failed: found !== undefined,
    error: found?.message.slice(0, MAX_LETTERS) ?? null,
    others: others.slice(0, MAX_OTHERS).map(({ message }) => message.slice(0, MAX_LETTERS)),
    steps: check.steps ?? [],
    screenshot: check.screenshot?.url ?? null,
  };
}

const isMember = (as: string) => as !== 'nobody' && as !== 'visitor';

/** Opens the branch in a browser. It waits while the browsers are busy. */
export async function checkBranch(
  context: RepairsContext,
  { caller, signal, branch }: Pick<Stage, 'caller' | 'signal' | 'branch'>,
  body: CheckWish,
): Promise<PageCheck> {
  const given = { params: { id: String(branch.page.id) }, body };
  const endsAt = performance.now() + PATIENCE_MS;
  while (performance.now() + RETRY_MS < endsAt) {
    const { isOk, ...answer } = await callApi(context, { caller, signal }, checkEndpoints.checkPage, given);
    if (isOk) return (answer as { body: PageCheck }).body;
    const { status } = answer as { status: number };
    if (status !== 503 && status !== 429) break;
    await pause(RETRY_MS, undefined, { signal });
  }
  return requireApi(context, { caller, signal }, checkEndpoints.checkPage, given);
}

/** Everything that a browser complains about. */
export const listComplaints = ({ errors, console }: Pick<PageCheck, 'errors' | 'console'>): string[] => [
  ...errors.map(({ message }) => message.slice(0, MAX_LETTERS)),
  ...console.filter(({ level }) => level === 'error').map(({ text }) => text.slice(0, MAX_LETTERS)),
];
