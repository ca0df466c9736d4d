import { ERROR_STATUS, type ErrorCode } from '../../../contract/errors.ts';
import { AppError } from '../../lib/errors.ts';
import type { BuilderContext, Exchange } from './context.ts';

interface Answer {
  status: number;
  body: unknown;
}

/** Calls the API on behalf of the caller, as if they had sent the request themselves. */
export async function callApi(
  { baseUrl, service }: Pick<BuilderContext, 'baseUrl' | 'service'>,
  { caller, signal }: Exchange,
  method: string,
  path: string,
  json?: unknown,
): Promise<Answer> {
  const { bearer, address, requestId } = caller;
  const headers: Record<string, string> = { authorization: `Bearer ${bearer}` };
  if (json !== undefined) headers['content-type'] = 'application/json';
  const request = new Request(baseUrl + path, {
    method,
    headers,
    signal,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const response = await service.call(request, { address, requestId });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text };
}

/** The same, and fails as the API did. */
export async function requireApi<Body>(...call: Parameters<typeof callApi>): Promise<Body> {
  const { status, body } = await callApi(...call);
  if (status < 400) return body as Body;
  const { error, code } = body as { error?: unknown; code?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code);
  throw new AppError(known ? (code as ErrorCode) : 'UNAVAILABLE', String(error ?? 'The request failed.'));
}
