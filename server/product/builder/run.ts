import type { BuilderEvent, BuilderOutcome, BuilderRun } from '../../../contract/agents/builder.ts';
import type { TurnMessage } from '../../platform/providers/index.ts';
import type { BuiltBranch } from './branch.ts';
import type { BuilderCaller } from './context.ts';

/** What a run can touch, if another part of the service decides it: only its draft and these functions. */
export interface RunLimits {
  functions: readonly string[];
  tools: ReadonlySet<string>;
}

/** One run of the builder, and what has happened in it. */
export interface Run {
  id: string;
  caller: BuilderCaller;
  page: { id: number; name: string; slug: string };
  /** The branch that the page is; undefined if it is not a branch. */
  branch: BuiltBranch | undefined;
  /** True if the page was made for this run. */
  isNewPage: boolean;
  draft: { id: number; revision: number };
  /** True if the draft was made for this run. */
  isNewDraft: boolean;
  prompt: string;
  limits: RunLimits | undefined;
  messages: TurnMessage[];
  /** The message of the thread that has the prompt. */
  message: number | null;
  startedAt: number;
  /** Milliseconds since the run began. */
  elapsed: () => number;
  /** Aborts when the run is stopped, or the time is over. */
  signal: AbortSignal;
  /** Whether the time is over. */
  isOver: () => boolean;
  /** True if the name and the slug of the page follow the title of its document: nobody has chosen others. */
  isNamedByTitle: boolean;
  hasWritten: boolean;
  /** True if the draft has changed since its last check. */
  isUnchecked: boolean;
  /** Why the last check did not take place, if it did not. */
  notChecked: string | undefined;
  fixes: number;
  /** Functions that this run has deployed, and can change. */
  functions: Set<string>;
  /** Functions that earlier runs have deployed for the same draft. They are deleted with it if nobody wants it. */
  earlierFunctions: string[];
  /** What earlier runs have changed in functions for the same draft. */
  earlierChanges: NonNullable<BuilderRun['changes']>;
  /** The number of tool calls so far. */
  calls: number;
  /** The texts of the model, for the thread of the page. */
  said: string[];
  usage: { inputTokens: number; outputTokens: number };
  /** The tokens that were paid, and those that are left. */
  paid: number;
  balance: number | undefined;
}

/** The event of a step, with its time. */
export const toolEvent = (
  run: Run,
  tool: Omit<Extract<BuilderEvent, { type: 'tool' }>, 'type' | 'ms'>,
): BuilderEvent => ({ type: 'tool', ...tool, ms: run.elapsed() });

/** Why the run ends before the model is done. */
export type EarlyEnd = Exclude<BuilderOutcome, 'finished'>;

/** What the person is told at the end. */
export const sayEnd = ({ notChecked }: Pick<Run, 'notChecked'>, outcome: BuilderOutcome): string =>
  notChecked === undefined
    ? ENDS[outcome]
    : `${ENDS[outcome]} The draft was not tried in a browser: ${notChecked}`;

/** The text for each outcome of a run, for the person. */
const ENDS: Record<BuilderOutcome, string> = {
  finished: 'Done.',
  steps: 'The builder stopped after its last step. What it wrote is kept as a draft. Ask it to continue.',
  time: 'The builder stopped after five minutes. What it wrote is kept as a draft. Ask it to continue.',
  credits: 'Your credits do not pay for another step. What the builder wrote is kept as a draft.',
  length:
    'The conversation is too long for another step. What the builder wrote is kept as a draft. Ask for a smaller change.',
  stopped: 'Stopped. What the builder wrote is kept as a draft.',
};
