import type { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** How clients call endpoints. Only types of zod are used here: the dashboard does not load it. */

type InUrl = string | number | boolean;

/** Path parameters are text. Callers can give numbers as numbers. */
type InPath<Params> = Params extends z.ZodType
  ? { params: { [Name in keyof z.input<Params>]: InUrl } }
  : { params?: never };

/** Query parameters are text. Callers can give numbers and booleans as such. */
type InQuery<Query> = Query extends z.ZodType
  ? {
      query?: {
        [Name in keyof z.input<Query>]?:
          | z.input<Query>[Name]
          | (Name extends keyof z.output<Query> ? Extract<z.output<Query>[Name], InUrl> : never)
          | undefined;
      };
    }
  : { query?: never };

/** A body without required fields can be left out. */
type InBody<Body> = Body extends z.ZodType
  ? Record<string, never> extends z.input<Body>
    ? { body?: z.input<Body> }
    : { body: z.input<Body> }
  : { body?: never };

/** What a caller gives to an endpoint. */
export type CallInput<Params, Query, Body> = InPath<Params> & InQuery<Query> & InBody<Body>;

/** The arguments of a call: none are needed if the endpoint has no required parts. */
export type Arguments<Input> = Record<string, never> extends Input ? [input?: Input] : [input: Input];

/** What an endpoint responds on success, as it is on the wire. */
export type Responded<Response> = Response extends z.ZodType ? z.input<Response> : undefined;

interface InAddress {
  params?: Record<string, InUrl>;
  query?: object;
}

/** The path and query of a call. `:name` is one part of the path; `*name`, the rest of it. */
export function buildPath(
  { path }: Pick<Endpoint, 'path'>,
  { params = {}, query = {} }: InAddress = {},
): string {
  const filled = path.replace(/([:*])(\w+)/g, (_, sign: string, name: string) => {
    const value = String(params[name]);
    return sign === ':' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value));
  return asked.size > 0 ? `${filled}?${asked}` : filled;
}
