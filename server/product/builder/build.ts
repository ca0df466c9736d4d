import type { BuilderEvent, BuilderOutcome } from '../../../contract/agents/builder.ts';
import { builderEndpoints } from '../../../contract/agents/builder-endpoints.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { MAX_BUILDER_STEPS, MAX_FIXES, MAX_RUN_TEXT } from '../../../contract/rules/builder-limits.ts';
import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import type { ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import { phrase } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';
import { callApi } from '../../platform/http/index.ts';
import { ProviderError, type TurnProvider } from '../../platform/providers/index.ts';
import { makeCalls } from './call-tool.ts';
import { checkAsStep } from './check.ts';
import type { BuilderContext } from './context.ts';
import { describeTools } from './offered.ts';
import { type Run, sayEnd } from './run.ts';
import { isUnderWay } from './store.ts';
import { takeTurn } from './turn.ts';

type Context = BuilderContext & { turns: TurnProvider };

/** What the person learns about why a provider fails. It decides who can do something about it. */
const REASONS: Partial<Record<ProviderFailure, string>> = {
  key: 'key',
  revoked: 'key',
  'key-lost': 'key',
  forbidden: 'key',
  money: 'money',
  busy: 'busy',
};
/** The deadline of the work after a run has ended. */
const END_MS = 15_000;

/** Runs the builder from its first turn to its last event. */
export async function* build(context: Context, run: Run): AsyncGenerator<BuilderEvent> {
  let last: BuilderEvent;
  try {
    if (run.isNewPage) yield { type: 'page', page: run.page };
    const outcome = yield* untilOver(run, takeSteps(context, run));
    if (run.isUnchecked && outcome !== 'stopped') yield* checkAsStep(context, run);
    last = await toEnd(context, run, outcome);
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof AppError))
      context.log.error({ err: error }, 'a run of the builder broke off');
    last = toFailure(run, error);
  }
  await tidyUp(context, run);
  yield last;
}

/** Turns a timeout and a stop into an outcome. Other errors stay as they are. */
async function* untilOver(
  run: Run,
  steps: AsyncGenerator<BuilderEvent, BuilderOutcome>,
): AsyncGenerator<BuilderEvent, BuilderOutcome> {
  try {
    return yield* steps;
  } catch (error) {
    if (!run.signal.aborted) throw error;
    return run.isOver() ? 'time' : 'stopped';
  }
}

async function* takeSteps(context: Context, run: Run): AsyncGenerator<BuilderEvent, BuilderOutcome> {
  const tools = describeTools(context, run);
  for (let step = 0; step < MAX_BUILDER_STEPS; step++) {
    run.signal.throwIfAborted();
    // Another node may have stopped the run, and the login that pays for it may have ended.
    if (!(await isUnderWay(context.db, run.id)) || !(await isLoggedIn(context, run))) return 'stopped';
    const turn = yield* takeTurn(context, run, tools);
    if (typeof turn === 'string') return turn;
    if (turn.length > 0) {
      yield* makeCalls(context, run, turn);
      continue;
    }
    if (!run.isUnchecked) return 'finished';
    const findings = yield* checkAsStep(context, run);
    if (findings === undefined || run.fixes === MAX_FIXES) return 'finished';
    run.fixes++;
    run.messages.push({ role: 'user', content: findings });
  }
  return 'steps';
}

async function isLoggedIn(context: Context, run: Run): Promise<boolean> {
  const result = await callApi(context, run, builderEndpoints.getBuilder, {});
  return result.isOk || result.status !== 401;
}

async function toEnd(context: Context, run: Run, outcome: BuilderOutcome): Promise<BuilderEvent> {
  const { inputTokens, outputTokens } = run.usage;
  const { userId } = run.caller.actor;
  return {
    type: 'done',
    outcome,
    message: sayEnd(run, outcome),
    draft: run.hasWritten || !run.isNewDraft ? run.draft.id : null,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    credits: {
      deducted: toCredits(run.paid),
      remaining: run.balance === undefined ? await context.readCredits(userId) : toCredits(run.balance),
    },
  };
}

function toFailure(run: Run, error: unknown): BuilderEvent {
  const draft = run.hasWritten || !run.isNewDraft ? run.draft.id : null;
  if (error instanceof ProviderError) {
    const word = error.kind === 'timeout' ? 'timeout' : (REASONS[error.reason] ?? 'error');
    return { type: 'error', error: `provider_${word}`, message: error.message, draft };
  }
  if (error instanceof AppError)
    return {
      type: 'error',
      error: error.code.toLowerCase(),
      message: error.message,
      ...error.key,
      draft,
    };
  const { text: message } = phrase('Something went wrong here. Try again.');
  return { type: 'error', error: 'internal', message, draft };
}

/** Adds the model's text to the thread, and removes an unused draft. */
async function tidyUp(context: Context, run: Run): Promise<void> {
  const exchange = { caller: run.caller, signal: AbortSignal.timeout(END_MS) };
  const params = { id: run.page.id };
  try {
    if (!run.hasWritten && run.isNewDraft) {
      const draft = { ...params, draft: run.draft.id };
      await callApi(context, exchange, draftEndpoints.deleteDraft, { params: draft });
    }
    if (run.said.length > 0) {
      const content = run.said.join('\n\n').slice(0, MAX_RUN_TEXT).toWellFormed();
      const body = { role: 'assistant', content } as const;
      await callApi(context, exchange, pageEndpoints.addPageMessage, { params, body });
    }
  } catch (error) {
    context.log.error({ err: error }, 'a run of the builder could not be tidied up');
  }
}
