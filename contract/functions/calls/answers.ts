import { z } from 'zod';
import type { ResponseSpec } from '../../endpoint.ts';
import type { ErrorCode } from '../../errors.ts';
import { CallFailure } from '../functions.ts';

/** Quire's own responses to a call, for the API description; everything else comes from the function. */

const failed = (status: number, description: string): ResponseSpec => ({
  status,
  description,
  schema: CallFailure,
});

const own = (status: number): ResponseSpec => ({
  status,
  description: 'Or the function’s own answer.',
  type: '*/*',
  schema: z.unknown(),
});

const codes: ErrorCode[] = ['RATE_LIMITED'];

export const CALL_ANSWERS = {
  failureBody: CallFailure,
  failures: codes,
  answers: [
    {
      status: 200,
      description: 'What the function answers, with its own status and media type.',
      type: 'application/json',
      schema: z.unknown(),
    },
    { status: 200, description: '', type: '*/*', schema: z.unknown() },
    {
      status: 'default',
      description: 'Any other status is the function’s own, and so is a body that does not look like this.',
      type: '*/*',
      schema: z.unknown(),
    },
    failed(400, 'The request cannot be read.'),
    failed(403, 'The call is refused.'),
    failed(413, 'The body is too large.'),
    failed(507, 'The disk of the server is full.'),
    failed(404, 'There is no such function, or it is private.'),
    failed(429, 'Too many calls from this address.'),
    failed(451, 'An administrator has taken the function down.'),
    failed(500, 'The function threw an exception.'),
    failed(502, 'The function crashed, ran out of memory or ended its response early.'),
    failed(503, 'The function has no place to run right now.'),
    failed(504, 'The function did not answer in time.'),
    // The function itself can also respond with any of these statuses, and any body.
    ...[400, 403, 404, 413, 429, 451, 500, 502, 503, 504, 507].map(own),
  ] as ResponseSpec[],
};
