import { describe, expect, test } from 'bun:test';
import { createCheck } from './fuzz/check.ts';
import type { Document, Operation } from './fuzz/document.ts';
import { Random } from './fuzz/random.ts';

const note = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
const requestId = { 'X-Request-Id': {} };
const document: Document = {
  paths: {
    '/api/notes/{id}': {
      get: {
        operationId: 'getNote',
        parameters: [],
        security: [],
        responses: {
          200: { headers: requestId, content: { 'application/json': { schema: note } } },
          204: { headers: requestId },
          404: { $ref: '#/components/responses/NotFound' },
          429: {
            headers: { ...requestId, 'Retry-After': {} },
            content: { 'application/json': { schema: {} } },
          },
        },
      },
    },
  },
  components: {
    schemas: { Error: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } } },
    responses: {
      NotFound: {
        headers: requestId,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  },
};
const operation = {
  ...document.paths['/api/notes/{id}']?.get,
  method: 'GET',
  path: '/api/notes/{id}',
} as Operation;
const check = createCheck(document);

function findFault(status: number, body: unknown, headers: Record<string, string> = {}, method = 'GET') {
  const sent = { operation, role: '', method, params: {}, query: {}, queryNames: [], headers: {} };
  const all = { 'content-type': 'application/json', 'x-request-id': 'r', ...headers };
  return check(sent, { status, text: body === '' ? '' : JSON.stringify(body), headers: new Headers(all) });
}

describe('a response', () => {
  test('that is described passes', () => {
    expect(findFault(200, { id: 1 })).toBeUndefined();
    expect(findFault(204, '')).toBeUndefined();
    expect(findFault(404, { error: 'Nothing here.' })).toBeUndefined();
    expect(findFault(405, { error: 'Not possible.' }, { allow: 'GET' }, 'PUT')).toBeUndefined();
  });

  test.each([
    ['with an extra field', findFault(200, { id: 1, secret: 2 }), 'additional properties'],
    ['with a field of another type', findFault(200, { id: '1' }), 'integer'],
    ['without a required field', findFault(200, {}), 'id'],
    ['with an extra field in an error', findFault(404, { error: 'No.', stack: '' }), 'additional properties'],
    ['with a status that is not declared', findFault(418, {}), '418'],
    ['with an internal error', findFault(500, {}), '500'],
    ['of another media type', findFault(200, { id: 1 }, { 'content-type': 'text/html' }), 'text/html'],
    ['with an unexpected body', findFault(204, {}), 'body'],
    ['without Retry-After', findFault(429, {}), 'Retry-After'],
    ['to an unknown method', findFault(200, {}, {}, 'PUT'), '405'],
  ])('%s fails', (_, fault, says) => {
    expect(fault).toContain(says);
  });
});

test('the same seed gives the same requests, and another seed others', () => {
  const words = (seed: number, turn: number) =>
    Array.from({ length: 5 }, () => new Random(seed, turn).word()).join();
  expect(words(7, 1)).toBe(words(7, 1));
  expect(words(7, 1)).not.toBe(words(7, 2));
  expect(words(7, 1)).not.toBe(words(8, 1));
});
