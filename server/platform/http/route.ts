import type { z } from 'zod';
import type { ErrorCode } from '../../../contract/errors.ts';
import type { AppError, PublicError } from '../../lib/errors.ts';
import type { Actor } from './access/gate.ts';
import type { Access } from './access/kinds.ts';
import type { Caller, Visit } from './visit.ts';

/** The input of a handler. The route's schemas have already parsed every outside value. */
interface Input<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** The caller; undefined only if the route's access allows anonymous callers. */
  actor: Actor | undefined;
  /** The same, with the passes that they have for pages: decides which pages they can see. */
  caller: Caller;
  /** The caller's address, for rate limits. */
  address: string;
  /** False if an untrusted proxy claims to forward the request for someone else. */
  isAddressSure: boolean;
  requestId: string;
  /** Set if the request came to a published page's own host. */
  pageHost: Visit['pageHost'];
  /** True when the request came to a published page's own host. */
  isOnPageHost: boolean;
  request: Request;
}

/** A response that the API reference cannot derive: not JSON, or with its own status or shape. */
export interface Answer {
  /** `default` stands for every status that is not listed. */
  status: number | 'default';
  description: string;
  /** Defaults to `application/json`. */
  type?: string;
  /** Defaults to text. */
  schema?: z.ZodType;
  /** In a stream of server-sent events: the JSON of each event's data. */
  events?: z.ZodType;
  /** Headers that the API reference lists. */
  headers?: readonly string[];
}

/** The shape of a route's error bodies, if it is not the usual one. */
interface FailureShape {
  schema: z.ZodType;
  toBody(failure: AppError): Record<string, unknown>;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** An endpoint. Slices export lists of routes; each is mounted and documented from this one description. */
export interface Route<
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The path on a page's own host, where `:id` is that page. */
  pathOnPageHost?: string;
  access: Access;
  /** One line for the API reference. */
  summary: string;
  /** The name in generated clients; it must never change. Every route below `/api/` has one. */
  operationId?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The media type of a body that is not JSON, which the handler reads itself; for the API reference. */
  bodyType?: string;
  /** Other media types that mean the same. */
  bodyTypesToo?: readonly string[];
  /** A media type of a body that is bytes and means the same; for the API reference. */
  bodyBytesType?: string;
  /** The shape of the body, if `body` cannot describe it; for the API reference. */
  bodySchema?: z.ZodType;
  /** The largest allowed body in bytes, if not the default. */
  bodyLimit?: number;
  /** The deepest allowed nesting of a JSON body, if not the default: stored data alone may reach the default depth. */
  bodyDepth?: number;
  /** True if the route also accepts a form-encoded body. */
  acceptsForm?: boolean;
  /** Form fields that are lists, separated by spaces. In JSON a list is an array. */
  formLists?: string[];
  /** True if the handler reads and validates the body itself, because it checks more than the gate first. */
  readsBody?: boolean;
  /** True if a missing body means an empty object. */
  bodyOptional?: boolean;
  /** True if the route answers with a WebSocket: its handler returns an `Upgrade`. */
  upgrades?: boolean;
  /**
   * Whether it stores something, and is refused while the disk is almost full. By default, routes do with a scope to
   * write, unless they delete.
   */
  stores?: boolean;
  /** The status on success, 200 by default. A 204 has no body. */
  status?: number;
  response?: z.ZodType;
  /** Request headers that the handler reads; for the API reference. */
  headers?: z.ZodType;
  /** Responses other than `response`, and its headers; for the API reference. */
  answers?: readonly Answer[];
  /** Errors that the API reference cannot derive from this description. */
  failures?: readonly ErrorCode[];
  failureShape?: FailureShape;
  /** Makes the response for a person whose browser navigated here, if a route for programs also takes forms. */
  failureScreen?(failure: PublicError): Promise<Response>;
  /** Returns a value to send as JSON, or a complete Response. */
  handle(input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>): Promise<unknown> | unknown;
}

/** A route without its handler. */
export type RouteDescription = Omit<Route, 'handle'>;

/** Infers a route's types. The result fits in any list of routes. */
export function route<
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: Route<Params, Query, Body>): Route {
  return definition as unknown as Route;
}

/** The caller of a route that requires credentials. */
export function signedIn(actor: Actor | undefined): Actor {
  if (!actor) throw new Error('a route with anonymous access asked for its actor');
  return actor;
}

/** A caller who is logged in. */
export interface SignedInCaller extends Caller {
  actor: Actor;
}

/** The same, with their passes. */
export function signedInCaller(caller: Caller): SignedInCaller {
  return { ...caller, actor: signedIn(caller.actor) };
}
