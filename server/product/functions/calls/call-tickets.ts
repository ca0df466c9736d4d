import { z } from 'zod';
import { CALL_TICKET_PARAM } from '../../../../contract/functions/call-tickets.ts';
import { PreviewedAs } from '../../../../contract/pages/previews.ts';
import { type ServiceKey, sign, verify } from '../../../lib/secrets.ts';
import { createFunctionSealer } from '../secrets/secrets.ts';

/** How long a ticket is valid: not long, because it is part of a URL, which proxies may log. */
export const CALL_TICKET_SECONDS = 60;

/**
 * How long a function can act with the rights of a visitor who calls it. Responses are streamed for at most five minutes.
 */
export const VISIT_SECONDS = 5 * 60;

const PASS_CONTEXT = 'call ticket';

/** A visitor of a page, as a ticket names them. */
const Ticket = z.object({
  function: z.number(),
  page: z.number(),
  /** The login of the visitor, or the user who checks the page; neither for a guest. */
  session: z.number().optional(),
  checker: z.number().optional(),
  /** The token of an agent, or of whoever checks the page: what it began ends with it. */
  token: z.number().optional(),
  /** The highest role of the visitor in a preview. */
  maxRole: PreviewedAs.optional(),
  /** The pass that stands for the page's password. Sealed in the ticket, because it is valid for much longer. */
  pass: z.string().optional(),
});
export type CallTicket = z.infer<typeof Ticket>;

/**
 * Carries a page session to a function's own host, where the page has no cookies. It is valid for one function, so
 * nobody can use it for another, and the function never sees it.
 */
export function createCallTickets(
  { key, now }: { key: ServiceKey; now: () => number },
  { purpose, seconds }: { purpose: 'call-ticket' | 'visit'; seconds: number },
) {
  const sealer = createFunctionSealer(key);
  return {
    make({ pass, ...ticket }: CallTicket): string {
      const sealed = pass && sealer.seal(pass, PASS_CONTEXT);
      return sign(key, purpose, { ...ticket, pass: sealed }, now() + seconds * 1000);
    },

    /** Reads a ticket. Undefined if it is forged, expired, or for another function. */
    read(signed: string, functionId: number): CallTicket | undefined {
      const parsed = Ticket.safeParse(verify(key, purpose, signed, now()));
      if (!parsed.success || parsed.data.function !== functionId) return undefined;
      const { pass, ...ticket } = parsed.data;
      return { ...ticket, pass: pass && sealer.open(pass, PASS_CONTEXT) };
    },
  };
}

/** Removes the ticket from a path with a query. Two tickets count as none. */
export function takeTicket(path: string): { path: string; ticket: string | undefined } {
  const { path: rest, value } = takeParam(path, CALL_TICKET_PARAM);
  return { path: rest, ticket: value };
}

/** Removes a parameter of ours from a path with a query. If it is there twice, it has no value. */
export function takeParam(path: string, name: string): { path: string; value: string | undefined } {
  const queryAt = path.indexOf('?');
  if (queryAt < 0 || !path.includes(`${name}=`, queryAt)) return { path, value: undefined };
  const isTaken = (part: string) => part.startsWith(`${name}=`);
  const parts = path.slice(queryAt + 1).split('&');
  const taken = parts.filter(isTaken);
  const query = parts.filter((part) => !isTaken(part)).join('&');
  return {
    path: path.slice(0, queryAt) + (query && `?${query}`),
    value: taken.length === 1 ? taken[0]?.slice(name.length + 1) : undefined,
  };
}
