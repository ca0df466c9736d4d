import type { OAuthErrorCode, OAuthFailure } from '../../../contract/oauth/protocol.ts';
import { type AppError, PublicError, retryAfter } from '../../lib/errors.ts';

/** An error in the form that OAuth clients understand. */
export class OAuthError extends PublicError {
  readonly status: number;

  constructor(
    readonly code: OAuthErrorCode,
    message: string,
  ) {
    super(message);
    this.status = code === 'invalid_client' ? 401 : code === 'temporarily_unavailable' ? 503 : 400;
  }

  toBody(): OAuthFailure {
    return { error: this.code, error_description: this.message };
  }
}

/** Our own errors in the form of OAuth. */
export function toFailureBody({ code, status, message, headers }: AppError): OAuthFailure {
  const isOurs = status >= 500 || code === 'RATE_LIMITED';
  const error = status === 500 ? 'server_error' : isOurs ? 'temporarily_unavailable' : 'invalid_request';
  return { error, error_description: message, ...retryAfter(headers) };
}
