import { buildPath, type CallInput, type Responded } from '../../../contract/call.ts';
import type { Endpoint, MaybeSchema } from '../../../contract/endpoint.ts';
import type { ErrorBody } from '../../../contract/error-body.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../contract/errors.ts';
import type { Sentence } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';
import { releaseBody } from './body/body-memory.ts';

/** The API of this service, which is known only when all routes are. */
export interface OwnApi {
  baseUrl: string;
  service: { call(request: Request, visit: { address: string; requestId: string }): Promise<Response> };
}

/** The person on whose behalf the API is called. */
export interface OwnCaller {
  bearer: string;
  address: string;
  requestId: string;
}

interface Exchange {
  caller: OwnCaller;
  signal: AbortSignal;
}

/** A body that is not JSON. */
interface RawBody {
  type: string;
  content: Blob | string;
}

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
  context: OwnApi,
  exchange: Exchange,
  endpoint: Endpoint<Params, Query, Body, Result>,
  given: CallInput<Params, Query, Body> & { raw?: RawBody },
): Promise<ApiResult<Result>> {
  const response = await send(context, exchange, endpoint, given);
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
  context: OwnApi,
  exchange: Exchange,
  endpoint: Endpoint<Params, Query, Body, Result>,
  given: CallInput<Params, Query, Body> & { raw?: RawBody },
): Promise<Responded<Result>> {
  const { isOk, body } = await callApi(context, exchange, endpoint, given);
  if (isOk) return body;
  throw toError(body);
}

/** Calls an endpoint that responds with a stream, and throws its error if it fails. */
export async function openApiStream<
  Params extends MaybeSchema,
  Query extends MaybeSchema,
  Body extends MaybeSchema,
>(
  context: OwnApi,
  exchange: Exchange,
  endpoint: Endpoint<Params, Query, Body, MaybeSchema>,
  given: CallInput<Params, Query, Body> & { raw?: RawBody },
): Promise<ReadableStream<Uint8Array>> {
  const response = await send(context, exchange, endpoint, given);
  if (!response.ok) throw toError((await response.json()) as Partial<ErrorBody>);
  if (!response.body) throw new Error(`${endpoint.path} responded without a stream`);
  return response.body;
}

function toError(body: Partial<ErrorBody>): AppError {
  const { error, code, text, values, details, retryAfter: _, ...more } = body;
  const known = typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code);
  const said: Sentence = { text: text ?? error ?? 'The request failed.', ...(values && { values }) };
  return new AppError(known ? (code as ErrorCode) : 'UNAVAILABLE', said.text, said.values, {
    ...(details && { details }),
    body: more,
  });
}

async function send<Params extends MaybeSchema, Query extends MaybeSchema, Body extends MaybeSchema>(
  { baseUrl, service }: OwnApi,
  { caller, signal }: Exchange,
  endpoint: Endpoint<Params, Query, Body, MaybeSchema>,
  given: CallInput<Params, Query, Body> & { raw?: RawBody },
): Promise<Response> {
  const { bearer, address, requestId } = caller;
  const { body, raw } = given;
  const json = body === undefined ? undefined : { type: 'application/json', content: JSON.stringify(body) };
  const sent = raw ?? json;
  const request = new Request(baseUrl + buildPath(endpoint, given), {
    method: endpoint.method,
    headers: { ...(sent && { 'content-type': sent.type }), authorization: `Bearer ${bearer}` },
    ...(sent && { body: sent.content }),
    signal,
  });
  try {
    return await service.call(request, { address, requestId });
  } finally {
    releaseBody(request);
  }
}
