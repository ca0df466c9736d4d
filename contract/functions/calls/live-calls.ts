import { z } from 'zod';
import { list, shortText } from '../../fields.ts';
import { MAX_LIVE_QUERIES } from '../../live/limits.ts';
import { rule } from '../../rules/texts/rule.ts';
import { slugParams } from '../functions.ts';

/** The wire shapes of live calls: calls of functions that run again when the data that they have read changes. */

export const LIVE_CALLS_BODY_LIMIT = 32 * 1024;
/** Bytes of what a live call answers. */
export const MAX_LIVE_RESULT_BYTES = 256 * 1024;

const LiveCall = z.strictObject({
  /** Chosen by the client. Events have it. */
  id: shortText(40),
  function: slugParams.shape.slug,
  body: z.unknown().meta({ description: 'What the function gets, as JSON' }),
  /** The `hash` of the result as the client has it. It is not sent again if it is still the same. */
  known: shortText(40).optional(),
});
export type LiveCall = z.infer<typeof LiveCall>;

export const LiveCallsBody = z.strictObject({
  calls: list(LiveCall, {
    max: MAX_LIVE_QUERIES,
    tooLong: rule('has more than {max} live calls: end some of them first', { max: MAX_LIVE_QUERIES }),
  }),
});
export type LiveCallsBody = z.infer<typeof LiveCallsBody>;

const LiveResult = z.object({
  id: z.string(),
  hash: z.string(),
  result: z.unknown().meta({ description: 'What the function answers' }),
});

/** Why a call is not followed, or no longer. */
export const LiveCallRefusal = z.object({
  id: z.string(),
  status: z.int(),
  code: z.string(),
  error: z.string(),
});
export type LiveCallRefusal = z.infer<typeof LiveCallRefusal>;

/** The data of each event. The first is empty, and means that the stream is open. */
export const LiveCallEvent = z.union([LiveResult, LiveCallRefusal, z.strictObject({})]);
