import { buildPath, type CallInput, type Responded } from '../../../contract/call.ts';
import type { Endpoint, MaybeSchema } from '../../../contract/endpoint.ts';
import type { ErrorBody } from '../../../contract/error-body.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../contract/errors.ts';
import type { Sentence } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';
import type { BuilderContext, Exchange } from './context.ts';

type Context = Pick<BuilderContext, 'baseUrl' | 'service'>;

/** A response of the API: the one that the endpoint describes, or an error. */
type ApiResult<Result> =
  | { isOk: true; body: Responded<Result> }
  | { isOk: false; status: number; body: Partial<ErrorBody> };

/** Calls the API on behalf of the caller, as if they had sent the request themselves. */
export async function callApi<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Body extends MaybeSchema,
  Result extends MaybeSchema,
>(
  context: Context,
  exchange: Exchange,
  endpoint: Endpoint<Params, Query, Body, Result>,
  given: CallInput<Params, Query, Body>,
): Promise<ApiResult<Result>> {
  const { body } = given;
  const response = await send(context, exchange, buildPath(endpoint, given), {
    method: endpoint.method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  const { ok: isOk, status } = response;
  return { isOk, status, body: text === '' ? undefined : JSON.parse(text) } as ApiResult<Result>;
}

/** Calls the API, and throws its error if it fails. */
export async function requireApi<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Body extends MaybeSchema,
  Result extends MaybeSchema,
>(
  context: Context,
  exchange: Exchange,
  endpoint: Endpoint<Params, Query, Body, Result>,
  given: CallInput<Params, Query, Body>,
): Promise<Responded<Result>> {
  const { isOk, body } = await callApi(context, exchange, endpoint, given);
  if (isOk) return body;
  const { error, code, text, values } = body;
  const known = typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code);
  const said: Sentence = { text: text ?? error ?? 'The request failed.', ...(values && { values }) };
  throw new AppError(known ? (code as ErrorCode) : 'UNAVAILABLE', said.text, said.values);
}

/** Reads a text at a path outside the API; undefined if that fails. */
export async function readText(
  context: Context,
  exchange: Exchange,
  path: string,
): Promise<string | undefined> {
  const response = await send(context, exchange, path, {});
  const text = await response.text();
  return response.ok ? text : undefined;
}

function send(
  { baseUrl, service }: Context,
  { caller, signal }: Exchange,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<Response> {
  const { bearer, address, requestId } = caller;
  const headers = { ...init.headers, authorization: `Bearer ${bearer}` };
  return service.call(new Request(baseUrl + path, { ...init, headers, signal }), { address, requestId });
}
