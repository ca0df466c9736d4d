import type { Endpoint } from '../../../../contract/endpoint.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../../contract/errors.ts';
import { canBeProtected } from '../../../../contract/protection.ts';
import { GATE, isForPrograms, type Rule } from '../../../platform/http/index.ts';
import { describeHeaders } from './headers.ts';
import type { Schema } from './json-schema.ts';

/** The error statuses of operations. 405 depends on the path alone. */
const NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  426: 'UpgradeRequired',
  429: 'TooManyRequests',
  451: 'TakenDown',
  500: 'InternalError',
  501: 'NotInstalled',
  503: 'Unavailable',
  507: 'InsufficientStorage',
};

const ANY_TYPE = '*/*';

/** Where pages, functions and their things are: an administrator can have taken them down. */
const CAN_BE_TAKEN_DOWN = /^\/(?:api\/(?:pages|functions|join)|images|join|p|screenshots)\//;

/** The codes of each status. */
function codesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = ERROR_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** The responses that routes share, one per status. */
export function failureComponents(routes: Endpoint[]): Record<string, unknown> {
  const used = codesByStatus(routes.flatMap(listCodes));
  const all = codesByStatus(Object.keys(ERROR_STATUS) as ErrorCode[]);
  return Object.fromEntries(
    Object.entries(NAMES).flatMap(([status, name]) => {
      if (!used.has(Number(status))) return [];
      const codes = all.get(Number(status)) ?? [];
      const response = {
        description: `The code is ${codes.join(' or ')}.`,
        headers: describeHeaders(Number(status)),
        content: { 'application/json': { schema: errorWith(codes) } },
      };
      return [[name, response]];
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

/** The errors of a route, by status. */
export function describeFailures(route: Endpoint, shape: Schema | undefined): Record<string, unknown> {
  const statuses = [...codesByStatus(listCodes(route)).keys()].sort((one, other) => one - other);
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
  return { description: `${words}.`, headers: describeHeaders(status), content: { [type]: { schema } } };
}

/** The errors that follow from access, path and body, and those that the route lists. */
function listCodes(route: Endpoint): ErrorCode[] {
  const { anonymous, bearer, refusesInvalidToken }: Rule = GATE[route.access.kind];
  const always: ErrorCode[] = ['BAD_REQUEST', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
  const atTheGate: ErrorCode[] = bearer ? ['UNAUTHORIZED', 'INVALID_TOKEN'] : ['UNAUTHORIZED'];
  const ofBodies: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  return [
    ...always,
    ...(anonymous ? [] : atTheGate),
    ...(refusesInvalidToken ? (['INVALID_TOKEN'] as const) : []),
    ...(route.path.includes('/:') ? (['NOT_FOUND'] as const) : []),
    ...(CAN_BE_TAKEN_DOWN.test(route.path) ? (['TAKEN_DOWN'] as const) : []),
    ...(route.body || route.bodyType ? ofBodies : []).filter(
      (code) => route.bodyType !== ANY_TYPE || code !== 'UNSUPPORTED_MEDIA_TYPE',
    ),
    ...(canBeProtected(route) ? (['PROTECTED'] as const) : []),
    ...(route.method === 'GET' ? [] : (['INSUFFICIENT_STORAGE'] as const)),
    ...(route.upgrades ? (['UPGRADE_REQUIRED'] as const) : []),
    ...(route.failures ?? []),
  ];
}
