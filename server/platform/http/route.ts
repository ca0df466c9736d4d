import type { z } from 'zod';
import type { ErrorCode } from '../../../contract/errors.ts';
import type { AppError } from '../../lib/errors.ts';
import type { Access, Actor } from './access/gate.ts';

/** What a handler is given: every outside value already parsed by the route's own schemas. */
interface Input<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** Who calls; undefined only where the route's access allows nobody in particular. */
  actor: Actor | undefined;
  /** The caller's address, for limits. */
  address: string;
  /** False when somebody whom we do not trust says on whose behalf they ask. */
  isAddressSure: boolean;
  requestId: string;
  /** True when the request came to a published page's own host. */
  isOnPageHost: boolean;
  request: Request;
}

/** An answer that the API's description would not know of: not JSON, or a status or shape of its own. */
export interface Answer {
  /** `default` stands for every status that is not named. */
  status: number | 'default';
  description: string;
  /** `application/json` unless given. */
  type?: string;
  /** Text unless given. */
  schema?: z.ZodType;
  /** In a stream of server-sent events: the JSON of each event's data. */
  events?: z.ZodType;
  /** Headers worth knowing of. */
  headers?: readonly string[];
}

/** The shape of a route's failures, where it is not the usual one. */
export interface FailureShape {
  schema: z.ZodType;
  toBody(failure: AppError): Record<string, unknown>;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

/** An endpoint. Slices export lists of these; they are mounted, and documented, from this one description. */
export interface Route<
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: Access;
  /** One line for the API reference. */
  summary: string;
  /** The name generated clients give it; it never changes. Everything below `/api/` has one. */
  operationId?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The media type of a body that is no JSON, which the handler reads by itself; for the API reference. */
  bodyType?: string;
  /** Other media types that mean the same. */
  bodyTypesToo?: readonly string[];
  /** What the body looks like, where `body` cannot say it; for the API reference. */
  bodySchema?: z.ZodType;
  /** Largest body in bytes, when not the default. */
  bodyLimit?: number;
  /** Most levels of a JSON body, when not the default: what is stored may have as many by itself. */
  bodyDepth?: number;
  /** True when a form-encoded body is taken too. */
  acceptsForm?: boolean;
  /** Fields of a form that are lists, with spaces between their members. In JSON a list is an array. */
  formLists?: string[];
  /** True when the handler reads and checks the body by itself, after more than the gate. */
  readsBody?: boolean;
  /** True when no body means an empty one. */
  bodyOptional?: boolean;
  /** Status of success, 200 unless said otherwise; 204 has no body. */
  status?: number;
  response?: z.ZodType;
  /** Headers of the request that the handler looks at; for the API reference. */
  headers?: z.ZodType;
  /** Other answers than `response`, and headers of it; for the API reference. */
  answers?: readonly Answer[];
  /** Failures that do not follow from the rest of this description; for the API reference. */
  failures?: readonly ErrorCode[];
  failureShape?: FailureShape;
  /** Returns what is sent as JSON, or a whole Response. */
  handle(input: Input<Parsed<Params>, Parsed<Query>, Parsed<Body>>): Promise<unknown> | unknown;
}

/** What is known of an endpoint without running it. */
export type RouteDescription = Omit<Route, 'handle'>;

/** Gives a route its types; what comes out fits any list of routes. */
export function route<
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: Route<Params, Query, Body>): Route {
  return definition as unknown as Route;
}

/** The caller of a route whose access lets nobody in without credentials. */
export function signedIn(actor: Actor | undefined): Actor {
  if (!actor) throw new Error('a route with anonymous access asked for its actor');
  return actor;
}
