import { z } from 'zod';
import { fault } from '../../../contract/errors.ts';
import { AppError } from '../../lib/errors.ts';
import type { Route } from './route.ts';
import { validate } from './validate.ts';

/**
 * Creates the function that reads a route's query parameters. API routes reject repeated parameters and unknown ones,
 * so that a misspelt filter is not silently ignored. Other paths accept any parameters that a link to them carries.
 */
export function createQueryReader({ path, method, query }: Route): (request: Request) => unknown {
  const isStrict = path.startsWith('/api/') && !(method === 'POST' && FUNCTION_CALLS.includes(path));
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  return ({ url }) => {
    const at = url.indexOf('?');
    if (at < 0) return query && validate(query, {});
    if (!query && !isStrict) return undefined;
    const given = new URLSearchParams(url.slice(at + 1));
    const values = Object.fromEntries(given);
    if (isStrict) refuseUnknown(given, values, known);
    return query && validate(query, values);
  };
}

/** Paths whose query parameters are those of the function that is called. */
const FUNCTION_CALLS = ['/api/functions/:slug', '/api/functions/:slug/test'];
const MAX_NAME_SHOWN = 100;

function refuseUnknown(given: URLSearchParams, values: Record<string, string>, known: string[]): void {
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new AppError(
      'BAD_REQUEST',
      known.length === 0
        ? 'The query parameter {name} is not known. This address takes none.'
        : 'The query parameter {name} is not known. Known here: {known}.',
      { name: quote(unknown), known: known.join(', ') },
      {
        details: [fault(unknown.slice(0, MAX_NAME_SHOWN), 'is not a known query parameter')],
      },
    );
  }
  if (given.size === Object.keys(values).length) return;
  const twice = known.find((name) => given.getAll(name).length > 1) ?? '';
  throw new AppError(
    'BAD_REQUEST',
    'The query parameter {name} is given more than once. Send it once.',
    { name: quote(twice) },
    {
      details: [fault(twice, 'must be given once')],
    },
  );
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME_SHOWN));
}
