import { randomUUID } from 'node:crypto';
import { buildPath } from '../../../../contract/call.ts';
import type { Endpoint } from '../../../../contract/endpoint.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Caller, releaseBody } from '../../../platform/http/index.ts';
import type { Asking, ServicesContext } from './context.ts';

const OWN_ADDRESS = '127.0.0.1';
/** Characters of a URL. Routes rely on the limit that HTTP has. */
const MAX_IN_URL = 64 * 1024;

interface Given {
  params: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Calls the API for somebody whom the server has identified: what it checks, counts and responds is the same. */
export async function callAs(
  { baseUrl, api }: ServicesContext,
  caller: Caller,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  { params, query = {}, body }: Given,
): Promise<Response> {
  const url = baseUrl + buildPath({ path }, { params, query: toTexts(query) });
  if (url.length > MAX_IN_URL) throw new AppError('PAYLOAD_TOO_LARGE', 'This is too large.');
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  const request = new Request(url, { method, headers, ...json });
  try {
    return await api()(request, { address: OWN_ADDRESS, requestId: randomUUID(), as: caller });
  } finally {
    releaseBody(request);
  }
}

/** Conditions are objects in functions, and JSON in a URL. */
function toTexts(query: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
  });
  return Object.fromEntries(entries);
}

/** The owner of the function and its page. */
export async function findOwner({ visitors }: ServicesContext, { asking }: Asking): Promise<Actor> {
  const found = await visitors.findAgain({ checker: asking.ownerId });
  if (!found) throw new AppError('FORBIDDEN', 'The account of this function’s owner cannot be used now.');
  // In their own function they are not a browser that checks a page.
  const { isCheck: _, ...owner } = found;
  return owner;
}
