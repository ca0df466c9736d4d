import { FeatureFailure } from '../../../contract/features.ts';
import { AppError } from '../../lib/errors.ts';
import { ProviderError } from '../../platform/providers/index.ts';

/** How features report failures: by a word, where other routes have a code. */
export const FEATURE_FAILURE = {
  schema: FeatureFailure,
  toBody({ code, message }: AppError) {
    return { error: code === 'BAD_REQUEST' ? 'invalid_request' : code.toLowerCase(), message };
  },
};

/** What a visitor feature responds instead of a result, in the contract's own shapes. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, unknown>,
    readonly headers: Record<string, string> = {},
  ) {
    super(`refused with ${status}`);
  }

  toResponse(): Response {
    return Response.json(this.body, {
      status: this.status,
      headers: { ...this.headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    });
  }
}

export const pageMissing = () =>
  new Refusal(404, { error: 'not_found', message: 'This page was not found.' });
export const authRequired = () =>
  new Refusal(401, { error: 'auth_required', message: 'Log in first: this is done in the visitor’s name.' });
export const disabled = (word: string) =>
  new Refusal(403, {
    error: `${word}_disabled`,
    message: 'The owner of this page has not switched this feature on.',
  });
export const invalid = (message: string) => new Refusal(400, { error: 'invalid_request', message });
export const consentRequired = (baseUrl: string, pageId: number) =>
  new Refusal(402, { consent_required: true, consentUrl: `${baseUrl}/consent?page=${pageId}` });
export const insufficientCredits = () => new Refusal(402, { insufficient_credits: true });

/** Turns a failure into the shape of features; undefined for those that visitors must not see. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof ProviderError) {
    return error.kind === 'timeout'
      ? new Refusal(504, { error: 'provider_timeout', message: error.message })
      : new Refusal(502, { error: 'provider_error', message: error.message });
  }
  if (!(error instanceof AppError)) return undefined;
  return new Refusal(error.status, FEATURE_FAILURE.toBody(error), error.headers);
}
