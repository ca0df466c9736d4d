import { z } from 'zod';
import { list } from '../../../contract/fields.ts';
import type { AppScope } from '../../../contract/scopes.ts';
import { hashSecret, sign, verify } from '../../lib/secrets.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { OAuthContext } from './context.ts';
import type { AccessRequest } from './ports.ts';
import { OWN_CHOICE, offeredPresets, PRESETS } from './presets.ts';

const ANSWER_MS = 15 * 60_000;
/** Ticked scopes in a form: more than there are scopes. */
const MAX_TICKS = 50;
const PURPOSE = 'oauth-question';
const Question = z.object({ session: z.number(), about: z.string() });

/** The request, and what the person was shown of it: an app can change its document, and a page its address. */
interface Shown {
  about: string;
  asked: AccessRequest;
}

/**
 * Proof that this login was shown this question a short while ago. A form that was shown to somebody else, or that asks
 * for something else, is not an answer.
 */
export function proveAsked({ key, now }: OAuthContext, actor: Actor, shown: Shown): string {
  return sign(key, PURPOSE, { session: actor.sessionId ?? 0, about: digest(shown) }, now() + ANSWER_MS);
}

export function wasAsked({ key, now }: OAuthContext, actor: Actor, shown: Shown, proof: string): boolean {
  const parsed = Question.safeParse(verify(key, PURPOSE, proof, now()));
  if (!parsed.success || actor.sessionId === undefined) return false;
  return parsed.data.session === actor.sessionId && parsed.data.about === digest(shown);
}

function digest({ about, asked }: Shown): string {
  const { clientId, name, origin, isVerified, resource, page, scopes } = asked;
  const seen = [clientId, name, origin, isVerified, resource, page?.id, page?.name, page?.slug, scopes];
  return hashSecret(JSON.stringify([about, ...seen]));
}

/** The fields of the question that a person fills in. */
export const AnswerForm = z.object({
  /** What the question is about: the request of the app, or the code that the person typed. */
  about: z.string().max(4_000).default(''),
  proof: z.string().max(1_000).default(''),
  preset: z.string().max(20).optional(),
  scope: list(z.string(), { max: MAX_TICKS }).default([]),
  /** Ticked if the app may only change branches. */
  branches: z.string().optional(),
  sure: z.string().optional(),
  answer: z.string().optional(),
});
export type AnswerForm = z.infer<typeof AnswerForm>;

/** What a question shows when it is asked again. */
export interface Repeat {
  preset?: string | undefined;
  ticked?: readonly AppScope[];
  isSure?: boolean;
  isForBranches?: boolean;
  error?: string;
}

export const OUTDATED: Repeat = { error: 'This form is out of date. Answer it again.' };

type Decision =
  | { kind: 'deny' }
  | { kind: 'ask again'; repeat: Repeat }
  | { kind: 'allow'; scopes: AppScope[]; isForBranches: boolean };

/** The decision of a person. The question is asked again if the form is not complete. */
export function readDecision(form: AnswerForm, asked: readonly AppScope[]): Decision {
  if (form.answer !== 'allow') return { kind: 'deny' };
  const isSure = form.sure === 'yes';
  const isForBranches = form.branches === 'yes';
  const scopes = readScopes(form, asked);
  // A page can have nothing to allow, except that the app opens it as the person.
  const isChosen = scopes !== undefined && (scopes.length > 0 || asked.length === 0);
  if (isSure && isChosen) return { kind: 'allow', scopes, isForBranches };
  const { preset } = form;
  const ticked = asked.filter((scope) => form.scope.includes(scope));
  const repeat = { preset, ticked, isSure, isForBranches, error: complain(isSure, scopes) };
  return { kind: 'ask again', repeat };
}

/** The chosen scopes; undefined if the person had presets to choose from, and chose none. */
function readScopes(
  { preset, scope: ticked }: AnswerForm,
  asked: readonly AppScope[],
): AppScope[] | undefined {
  const presets = offeredPresets(asked);
  if (presets.length === 0 || preset === OWN_CHOICE) return asked.filter((scope) => ticked.includes(scope));
  const chosen = presets.find((name) => name === preset);
  return chosen && asked.filter((scope) => PRESETS[chosen].includes(scope));
}

function complain(isSure: boolean, scopes: AppScope[] | undefined): string {
  if (!scopes) return 'Choose what the app can do, or do not allow it.';
  return isSure ? 'Tick what the app can do, or do not allow it.' : 'Confirm that you know this app.';
}
