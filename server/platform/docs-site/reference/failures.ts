import { ERROR_STATUS, type ErrorCode } from '../../../../contract/errors.ts';
import { GATE, isForPrograms, type RouteDescription } from '../../http/index.ts';
import { headersOf } from './headers.ts';
import type { Schema } from './json-schema.ts';

/** The statuses that operations answer with. 405 is about the address alone. */
const NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
  507: 'InsufficientStorage',
};

const ANY_TYPE = '*/*';

/** What a failure looks like everywhere but in page features and function calls. */
export const ERROR_SCHEMA: Schema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'A sentence that says what to do.' },
    code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
    details: {
      type: 'array',
      description: 'The faults of a body, a query or a record, one by one.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    scope: { type: 'string', description: 'With INSUFFICIENT_SCOPE: the scope that the token lacks.' },
    currentVersion: { type: 'integer', description: 'With CONFLICT: the version that the page is at.' },
    storage_mode: { type: 'string', description: 'With CONFLICT: the storage mode that the page is in.' },
    index: { type: 'integer', description: 'In a batch: the operation that failed, from 0.' },
    line: { type: 'integer', description: 'With DEPLOY_FAILED: the line of the code.' },
    column: { type: 'integer', description: 'With DEPLOY_FAILED: the column of that line.' },
  },
};

/** The codes of each status. */
function codesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = ERROR_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** Every status of the table, described once. */
export function failureComponents(): Record<string, unknown> {
  const all = codesByStatus(Object.keys(ERROR_STATUS) as ErrorCode[]);
  return Object.fromEntries(
    Object.entries(NAMES).map(([status, name]) => {
      const codes = all.get(Number(status)) ?? [];
      return [
        name,
        {
          description: `The code is ${codes.join(' or ')}.`,
          headers: headersOf(Number(status)),
          content: { 'application/json': { schema: errorWith(codes) } },
        },
      ];
    }),
  );
}

function errorWith(codes: readonly ErrorCode[]): Schema {
  return {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: [...codes] } } },
    ],
  };
}

/** The failures that a route can answer with, by status. */
export function failuresOf(route: RouteDescription, shape: Schema | undefined): Record<string, unknown> {
  const statuses = [...codesByStatus(codesOf(route)).keys()].sort((one, other) => one - other);
  const describe = (status: number) => {
    if (!isForPrograms(route.path)) return shaped(status, 'text/html', { type: 'string' });
    return shape
      ? shaped(status, 'application/json', shape)
      : { $ref: `#/components/responses/${NAMES[status]}` };
  };
  return Object.fromEntries(statuses.map((status) => [status, describe(status)]));
}

function shaped(status: number, type: string, schema: Schema): unknown {
  const words = (NAMES[status] ?? '').replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { description: `${words}.`, headers: headersOf(status), content: { [type]: { schema } } };
}

/** What follows from the kind of access, the path and the body, and what the route says of itself. */
function codesOf(route: RouteDescription): ErrorCode[] {
  const { anonymous, bearer } = GATE[route.access.kind];
  const always: ErrorCode[] = ['BAD_REQUEST', 'FORBIDDEN', 'INTERNAL', 'UNAVAILABLE'];
  const atTheGate: ErrorCode[] = bearer ? ['UNAUTHORIZED', 'INVALID_TOKEN'] : ['UNAUTHORIZED'];
  const ofBodies: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  return [
    ...always,
    ...(anonymous ? [] : atTheGate),
    ...(route.path.includes('/:') ? (['NOT_FOUND'] as const) : []),
    ...(route.body || route.bodyType ? ofBodies : []).filter(
      (code) => route.bodyType !== ANY_TYPE || code !== 'UNSUPPORTED_MEDIA_TYPE',
    ),
    ...(route.method === 'GET' ? [] : (['INSUFFICIENT_STORAGE'] as const)),
    ...(route.failures ?? []),
  ];
}
