import { TRIAL_SECONDS } from '../../../contract/templates/wishes.ts';
import type { Actor } from '../../platform/http/index.ts';
import { type Choice, toWanted } from './choose.ts';
import type { TrialsContext, Visitor } from './context.ts';
import type { Trials } from './trials.ts';

/** What somebody can do with what they chose. */
export interface TrialState {
  /** Whether the page can be used, and is not only a picture. */
  isLive: boolean;
  /** How long the trial still lasts. */
  leftMs: number;
}

/** Says whether somebody can use the page, and for how long. Nothing is made. */
export async function readTrialState(
  context: TrialsContext,
  trials: Trials,
  choice: Choice,
  visitor: Visitor,
): Promise<TrialState> {
  const trial = trials.find(visitor.request, toWanted(choice));
  const leftMs = trial ? trial.exp - context.now() : TRIAL_SECONDS * 1000;
  if (!(await canTry(context, choice, visitor.actor))) return { isLive: false, leftMs };
  return { isLive: trial !== undefined || (await trials.canMake(visitor)), leftMs };
}

/**
 * Only people who could publish it can try it, so a server without open registration runs nothing for strangers. A page
 * that needs credits cannot show anything without an account.
 */
export async function canTry(
  { templates, registration }: TrialsContext,
  { template }: Choice,
  actor: Actor | undefined,
): Promise<boolean> {
  if (templates().templates.en.get(template.key)?.parts.includes('ai')) return false;
  return actor !== undefined || (await registration()) === 'open';
}
