import { z } from 'zod';
import type { Answer, ErrorCode } from '../http/index.ts';

/** What callers of a function hear from us, for the API's description; everything else is the function's own. */

const CallFailure = z.object({ success: z.literal(false), error: z.string() }).meta({ id: 'CallFailure' });

const failed = (status: number, description: string): Answer => ({
  status,
  description,
  schema: CallFailure,
});

const codes: ErrorCode[] = ['RATE_LIMITED'];

export const CALL_ANSWERS = {
  failureShape: { schema: CallFailure, toBody: ({ message }: Error) => ({ success: false, error: message }) },
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
    failed(502, 'The function crashed, ran out of memory or broke off its answer.'),
    failed(504, 'The function did not answer in time.'),
  ] as Answer[],
};
