import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import { idOrSlugParams } from '../fields.ts';
import { LIVE_CHANNEL } from './limits.ts';

/** The wire shapes of `PageLive`: what a tab and the service send each other over its WebSocket. */

export const liveParams = idOrSlugParams;

const channel = z.string().regex(LIVE_CHANNEL);
/** The number of a request, chosen by the client. The response has the same number. */
const ref = z.int().nonnegative();

/** A message of a page: any JSON. It is not validated, so that its nesting costs nothing. */
const message = z.unknown().refine((value) => value !== undefined, 'is missing');

/** A request from a tab. Each WebSocket message has one. */
export const LiveRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('join'), ref, channel }),
  z.strictObject({ type: z.literal('leave'), ref, channel }),
  z.strictObject({ type: z.literal('send'), ref, channel, message }),
]);
export type LiveRequest = z.infer<typeof LiveRequest>;

/** Somebody in a channel. Guests have no name, and an id that is a text. */
export const LivePerson = z.object({ id: z.union([z.int(), z.string()]), username: z.string().nullable() });
export type LivePerson = z.infer<typeof LivePerson>;

/** The first people in a channel, and how many there are in all. */
export const LivePresence = z.object({ people: z.array(LivePerson), count: z.int() });
export type LivePresence = z.infer<typeof LivePresence>;

const code = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);

/** An event from the service, one in each line. A WebSocket message has one or more lines, or is empty. */
export const LiveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), you: LivePerson, tab: z.string() }),
  z.object({ type: z.literal('joined'), ref, channel, presence: LivePresence }),
  z.object({ type: z.literal('presence'), channel, presence: LivePresence }),
  /** A message in a channel. `from` is null if a function sent it. `tab` and `ref` confirm it to its sender. */
  z.object({
    type: z.literal('message'),
    channel,
    from: LivePerson.nullable(),
    tab: z.string().optional(),
    ref: ref.optional(),
    message,
  }),
  z.object({
    type: z.literal('refused'),
    ref: ref.optional(),
    code,
    error: z.string(),
    retryAfter: z.number().optional(),
  }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;

/** What a function publishes, as its cell sends it. */
export const LivePublication = z.strictObject({
  pageId: z.union([z.int(), z.string().max(100)]),
  channel: z.string(),
  message,
});
