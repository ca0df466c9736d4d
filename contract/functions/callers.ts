import { z } from 'zod';
import { shortText } from '../fields.ts';
import { TEST_AS_PARAM } from './call-tickets.ts';
import { slugParams } from './functions.ts';

/** Who calls a function, as pages and functions learn it. */

/** Headers that tell a function which visitor of which of its owner's pages calls. They never come from outside. */
export const CALLER_HEADERS = {
  userId: 'x-quire-user-id',
  /** The visitor's name, percent-encoded as by `encodeURIComponent`. */
  userName: 'x-quire-user-name',
  teamRole: 'x-quire-team-role',
  pageId: 'x-quire-page-id',
  /** Set in a test that the owner makes as somebody. */
  test: 'x-quire-test',
} as const;

/** The query of a test call. Everything else in it reaches the function. */
export const TestQuery = z.looseObject({
  [TEST_AS_PARAM]: shortText(32).optional().meta({
    description:
      'Whom the call is made for, as a visitor of the page that the function belongs to: owner, nobody, or the username of a member of its team. The function sees the headers of that visitor, and x-quire-test.',
  }),
});

export const CallTicketRequest = z.strictObject({ function: slugParams.shape.slug });

export const CallTicket = z.object({
  url: z.string().meta({ description: 'Where to call the function.' }),
  ticket: z.string().nullable().meta({
    description:
      'To send as the query parameter quire_ticket. Null if the function would not learn anything from it.',
  }),
  expiresIn: z.int().meta({ description: 'Seconds until the ticket expires.' }),
});
export type CallTicket = z.infer<typeof CallTicket>;
