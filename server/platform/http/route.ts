import type { z } from 'zod';
import type { AccessKind, GATE } from '../../../contract/access-kinds.ts';
import type { Endpoint, MaybeSchema } from '../../../contract/endpoint.ts';
import type { AppError, PublicError } from '../../lib/errors.ts';
import type { Actor } from './access/gate.ts';
import type { JsonText } from './response/json-response.ts';
import type { Upgrade } from './sockets/upgrade.ts';
import type { Caller, Visit } from './visit.ts';

/** The input of a handler. The endpoint's schemas have already parsed every outside value. */
interface Input<Params, Query, Body, Who extends Actor | undefined> {
  params: Params;
  query: Query;
  body: Body;
  /** The caller; undefined only if the access allows anonymous callers. */
  actor: Who;
  /** The caller, with the passes that they have for pages: decides which pages they can see. */
  caller: Who extends Actor ? SignedInCaller : Caller;
  /** The caller's address, for rate limits. */
  address: string;
  /** False if an untrusted proxy claims to forward the request for someone else. */
  isAddressSure: boolean;
  requestId: string;
  /** Set if the request came to a published page's own host. */
  pageHost: Visit['pageHost'];
  /** Set if the MCP server of a page makes the request for a visitor. */
  visitor: Visit['visitor'];
  /** True when the request came to a published page's own host. */
  isOnPageHost: boolean;
  request: Request;
}

/** A caller who is logged in. */
export interface SignedInCaller extends Caller {
  actor: Actor;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** Who can be behind a kind of access. */
type ActorOf<Kind extends AccessKind> = (typeof GATE)[Kind]['anonymous'] extends false
  ? Actor
  : Actor | undefined;

/** A value that is sent as JSON and fits the endpoint's `response`, or a complete response. */
type Returned<Result> =
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a result need not return
  (Result extends z.ZodType ? z.input<Result> | JsonText : void) | Response | Upgrade;

/** What only the server knows about an endpoint. */
interface OnServer {
  /** Makes an error body, if it is not the usual one. */
  toFailureBody?(failure: AppError): Record<string, unknown>;
  /** Makes the response for a person whose browser navigated here, if it is not the usual one. */
  failureScreen?(failure: PublicError): Promise<Response> | undefined;
}

/** An endpoint with its handler. Slices export lists of routes, which are mounted and documented. */
export interface Route extends Endpoint, OnServer {
  /** Returns a value to send as JSON, or a complete Response. */
  handle(
    // biome-ignore lint/suspicious/noExplicitAny: each handler has its own parameters
    input: Input<any, any, any, Actor | undefined>,
  ): Promise<unknown> | unknown;
}

/** Implements an endpoint of the contract. */
export function handle<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Body extends MaybeSchema,
  Result extends MaybeSchema,
  Kind extends AccessKind,
>(
  endpoint: Endpoint<Params, Query, Body, Result, Kind>,
  run: (
    input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>, ActorOf<Kind>>,
  ) => Promise<Returned<Result>> | Returned<Result>,
  onServer: OnServer = {},
): Route {
  // The gate admits anonymous callers only where the kind of access allows them.
  return { ...endpoint, ...onServer, handle: run as Route['handle'] };
}

/** A route that is not part of the API: a screen, a file of ours, a probe. */
export function route<
  Params extends MaybeSchema = undefined,
  Query extends MaybeSchema = undefined,
  Body extends MaybeSchema = undefined,
  Kind extends AccessKind = AccessKind,
>(
  definition: Endpoint<Params, Query, Body, MaybeSchema, Kind> &
    OnServer & {
      handle(
        input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>, ActorOf<Kind>>,
      ): Promise<unknown> | unknown;
    },
): Route {
  return definition as unknown as Route;
}
