import type { z } from 'zod';
import type { AccessKind } from './access-kinds.ts';
import type { ErrorCode } from './errors.ts';

/** A response that the API reference cannot derive: not JSON, or with its own status or shape. */
export interface ResponseSpec {
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

/**
 * What an endpoint changes, for protected pages. `application`: what everyone gets, or much of it at once.
 * `single`: one record or file, or what one call of a function does. `new`: it makes a page or function that did not
 * exist. `nothing`: what people and agents work on before they publish it, or nothing.
 */
export type Changes = 'application' | 'single' | 'new' | 'nothing';

/** A part of a request or response that an endpoint may not have. */
export type MaybeSchema = z.ZodType | undefined;

/**
 * An endpoint of the API: its input, its output, and who may call it. The server implements it, the API reference
 * describes it, and the dashboard, the command line and the tools of agents call it, all from this one description.
 */
export interface Endpoint<
  Params extends MaybeSchema = MaybeSchema,
  Query extends MaybeSchema = MaybeSchema,
  Body extends MaybeSchema = MaybeSchema,
  Response extends MaybeSchema = MaybeSchema,
  Kind extends AccessKind = AccessKind,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The path on a page's own host, where `:id` is that page. */
  pathOnPageHost?: string;
  /** The kind of access and, for bearer tokens, the scope. */
  access: { kind: Kind; scope?: string };
  /** One line for the API reference. */
  summary: string;
  /** The name in generated clients; it must never change. `endpoints` sets it. */
  operationId?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The media type of a body that is not JSON, which the handler reads itself; for the API reference. */
  bodyType?: string;
  /** Other media types that the body can have, with the same meaning as `bodyType`. */
  bodyTypesToo?: readonly string[];
  /** The media type of a body of bytes that is accepted instead of the usual body; for the API reference. */
  bodyBytesType?: string;
  /** The shape of the body, if `body` cannot describe it; for the API reference. */
  bodySchema?: z.ZodType;
  /** The largest allowed body in bytes, if not the default. */
  bodyLimit?: number;
  /** The deepest allowed nesting of a JSON body, if not the default: stored data alone may reach the default depth. */
  bodyDepth?: number;
  /** True if a form-encoded body is accepted too. */
  acceptsForm?: boolean;
  /** Form fields that are lists, separated by spaces. In JSON a list is an array. */
  formLists?: string[];
  /** True if the handler reads and validates the body itself, because it checks more than the gate first. */
  readsBody?: boolean;
  /** True if a missing body means an empty object. */
  bodyOptional?: boolean;
  /** True if the endpoint opens a WebSocket: the handler returns an `Upgrade`. */
  upgrades?: boolean;
  /**
   * Whether the endpoint stores something, and is refused while the disk is almost full. True by default with a
   * scope to write, unless the endpoint deletes something.
   */
  stores?: boolean;
  /** What the endpoint changes, if not the application of a page, with a scope to write. See `readChanges`. */
  changes?: Changes;
  /** The status on success, 200 by default. A 204 has no body. */
  status?: number;
  response?: Response;
  /** Request headers that the handler reads; for the API reference. */
  headers?: z.ZodType;
  /** Responses other than `response`, and its headers; for the API reference. */
  answers?: readonly ResponseSpec[];
  /** Errors that the API reference cannot derive from this description. */
  failures?: readonly ErrorCode[];
  /** The shape of error bodies, if it is not the usual one. */
  failureBody?: z.ZodType;
}

/** Checks the description of an endpoint, and keeps the types of its schemas. */
export function endpoint<
  Params extends MaybeSchema = undefined,
  Query extends MaybeSchema = undefined,
  Body extends MaybeSchema = undefined,
  Response extends MaybeSchema = undefined,
  Kind extends AccessKind = AccessKind,
>(description: Endpoint<Params, Query, Body, Response, Kind>): Endpoint<Params, Query, Body, Response, Kind> {
  return description;
}

/** Names endpoints for generated clients: the key is the operation id. */
export function endpoints<Named extends Record<string, { operationId?: string }>>(named: Named): Named {
  for (const [operationId, endpoint] of Object.entries(named)) endpoint.operationId = operationId;
  return named;
}
