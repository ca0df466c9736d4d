import type { ErrorCode } from '../../../contract/errors.ts';
import { BRANCH_CREDITS_PER_DAY } from '../../../contract/rules/credit-amounts.ts';
import { FEATURES_SCOPE } from '../../../contract/scopes.ts';
import { AppError, PublicError, retryAfter } from '../../lib/errors.ts';
import { ProviderError } from '../../platform/providers/index.ts';

/** The error body of features, with a word where other routes have a code. */
export function toFailureBody({ code, message, headers }: AppError) {
  const error = code === 'BAD_REQUEST' ? 'invalid_request' : code.toLowerCase();
  return { error, message, ...retryAfter(headers) };
}

/** The error response of a visitor feature, in the shapes of the contract. */
export class FeatureError extends PublicError {
  constructor(
    readonly status: number,
    private readonly body: Record<string, unknown>,
    cause?: unknown,
  ) {
    super(`refused with ${status}`, { cause });
  }

  toBody(): Record<string, unknown> {
    return this.body;
  }
}

export const pageMissing = () =>
  new FeatureError(404, { error: 'not_found', message: 'This page was not found.' });
export const authRequired = () =>
  new FeatureError(401, {
    error: 'auth_required',
    message: 'Log in first: this is done in the visitor’s name.',
  });
export const notInChecks = () =>
  new FeatureError(403, { error: 'not_in_checks', message: 'A check of a page does not use its features.' });
export const tokenWithoutScope = () =>
  new FeatureError(401, {
    error: 'auth_required',
    message: `Log in first, or send a personal token with the scope ${FEATURES_SCOPE} and a creditLimit: this is done in the visitor’s name.`,
  });
export const cannotPublish = () =>
  new FeatureError(403, {
    error: 'insufficient_scope',
    message: 'This token lacks the scope pages:write, which publishing a page needs.',
  });
export const disabled = (word: string) =>
  new FeatureError(403, {
    error: `${word}_disabled`,
    message: 'The owner of this page has not enabled this feature.',
  });
export const invalid = (message: string) => new FeatureError(400, { error: 'invalid_request', message });
export const consentRequired = (baseUrl: string, pageId: number) =>
  new FeatureError(402, { consent_required: true, consentUrl: `${baseUrl}/consent?page=${pageId}` });
export const creditLimitReached = () =>
  new FeatureError(402, {
    credit_limit_reached: true,
    message:
      'This would exceed the credit limit of the token. Make another token with POST /api/auth/tokens and a creditLimit.',
  });
export const branchLimitReached = () =>
  new FeatureError(402, {
    credit_limit_reached: true,
    message: `The owner of this branch pays ${BRANCH_CREDITS_PER_DAY} credits a day for its visitors, and too few of them are left. Try again tomorrow (UTC).`,
  });
export const insufficientCredits = () => new FeatureError(402, { insufficient_credits: true });

/** Gives the failure of a provider its status and word. Other errors stay as they are. */
export function toFeatureError(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  const { kind, message } = error;
  return kind === 'timeout'
    ? new FeatureError(504, { error: 'provider_timeout', message }, error)
    : new FeatureError(502, { error: 'provider_error', message }, error);
}

/** The word and the sentence for a failure, in a stream that has already begun. */
export function toFailureEvent(error: unknown): { error: string; message?: string } {
  const seen = toFeatureError(error);
  if (seen instanceof AppError) return toFailureBody(seen);
  if (!(seen instanceof FeatureError)) return { error: 'internal' };
  const { error: word, message } = seen.toBody();
  return { error: String(word), ...(typeof message === 'string' && { message }) };
}

/** The failure of a model as code in a function sees it. */
export function toEnvError(error: unknown): unknown {
  const seen = toFeatureError(error);
  if (!(seen instanceof FeatureError)) return seen;
  const { message } = seen.toBody();
  const code: ErrorCode = seen.status === 400 ? 'BAD_REQUEST' : 'UNAVAILABLE';
  return new AppError(code, '{message}', { message: String(message) }, { cause: error });
}
