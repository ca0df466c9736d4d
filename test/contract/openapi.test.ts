import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../support/app.ts';
import { lint, schemaFaults } from '../support/contract/openapi.ts';
import { compileClient, generateTypes } from '../support/contract/openapi-types.ts';
import program from '../support/contract/typed-client.txt' with { type: 'text' };

interface Operation {
  operationId?: string;
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: object };
  responses: Record<string, { $ref?: string; headers?: object; content?: Record<string, unknown> }>;
  security: object[];
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

let app: TestApp;
let document: Document;
beforeAll(async () => {
  // The linter warns about localhost.
  app = await testApp({ QUIRE_BASE_URL: 'https://pages.test' });
  document = (await app.call('GET', '/api/openapi.json')).body;
});
afterAll(() => app.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );

test('the linter finds no errors and no warnings', async () => {
  // A WebSocket begins with 101.
  const isUpgrade = (found: string) => /operation-2xx-response.*~1live\/get/.test(found);
  expect((await lint(document)).filter((found) => !isUpgrade(found))).toEqual([]);
});

test('the linter finds an error if there is one', async () => {
  const { '/api/pages': pages } = structuredClone(document.paths);
  delete pages?.post?.operationId;
  expect(await lint({ ...document, paths: { '/api/pages': pages }, components: {} })).toContainEqual(
    expect.stringContaining('operation-operationId'),
  );
});

test('matches the schema of OpenAPI 3.1', async () => {
  expect(await schemaFaults(document)).toBeUndefined();
});

test('every reference can be resolved', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  const lost = references.filter(
    (path) =>
      path
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) ===
      undefined,
  );
  expect(lost).toEqual([]);
  expect(references.length).toBeGreaterThan(100);
});

test('every operation has a unique name in camel case', () => {
  const ids = operations().map(({ operationId }) => operationId ?? '');
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every operation can be limited, and names 401 if it needs credentials', () => {
  const lacks = (status: string) => operations().filter(({ responses }) => !(status in responses));
  const isOpen = ({ security }: Operation) => security.some((way) => Object.keys(way).length === 0);
  expect(lacks('429').map(({ name }) => name)).toEqual([]);
  expect(
    lacks('401')
      .filter((operation) => !isOpen(operation))
      .map(({ name }) => name),
  ).toEqual([]);
});

test('recursive schemas have names', () => {
  expect(Object.keys(document.components.schemas).filter((name) => name.startsWith('Unnamed'))).toEqual([]);
});

test('every response has a schema or no body, and a request id header', () => {
  const answers = operations().flatMap(({ name, responses }) =>
    Object.entries(responses).map(([status, answer]) => ({ name: `${name} ${status}`, status, ...answer })),
  );
  const bodiless = ['101', '204', '301', '302', '303', '304', '416'];
  const vague = answers.filter(
    ({ status, $ref, content }) => !$ref && !content && !bodiless.includes(status),
  );
  expect(vague.map(({ name }) => name)).toEqual([]);
  const silent = answers.filter(
    ({ $ref, headers }) => !$ref && !JSON.stringify(headers).includes('X-Request-Id'),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('features, calls, streams, files and forms are described correctly', () => {
  const { paths } = document;
  const listTypes = (path: string, method: string, status: string) =>
    Object.keys(paths[path]?.[method]?.responses[status]?.content ?? {});
  const findSchema = (path: string, status: string) =>
    JSON.stringify(paths[path]?.post?.responses[status]?.content);
  expect(findSchema('/api/pages/{id}/page-api-ai', '403')).toContain('FeatureFailure');
  expect(findSchema('/api/pages/{id}/page-api-ai', '402')).toContain('PaymentRequired');
  expect(findSchema('/api/functions/{slug}', '504')).toContain('CallFailure');
  expect(listTypes('/api/pages/{id}/events', 'get', '200')).toEqual(['text/event-stream']);
  expect(listTypes('/api/pages/{id}/page-api-ai', 'post', '200')).toContain('text/event-stream');
  expect(listTypes('/api/functions/{slug}/logs', 'get', '200')).toContain('text/event-stream');
  expect(listTypes('/api/functions/{slug}/database/export', 'get', '200')).toEqual(['application/sql']);
  expect(listTypes('/api/admin/backup', 'get', '200')).toEqual([
    'application/gzip',
    'application/octet-stream',
  ]);
  expect(listTypes('/p/{slug}', 'get', '200')).toEqual(['text/html', 'text/markdown']);
  expect(listTypes('/p/{slug}', 'get', '403')).toEqual(['text/html', 'application/json']);
  const { responses = {} } = paths['/p/{slug}/{path}']?.get ?? {};
  const ranged = ['206', '416'].map((status) => Object.keys(responses[status]?.headers ?? {}));
  expect(ranged).toEqual([
    expect.arrayContaining(['Content-Range']),
    expect.arrayContaining(['Content-Range']),
  ]);
  const bodyTypes = (path: string) => Object.keys(paths[path]?.post?.requestBody?.content ?? {});
  expect(bodyTypes('/api/pages/{id}/team-files')).toEqual(['multipart/form-data']);
  expect(bodyTypes('/api/functions/{slug}/database/import')).toContain('application/sql');
  expect(bodyTypes('/api/auth/token')).toContain('application/x-www-form-urlencoded');
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(['/healthz', '/livez', '/readyz', '/api/functions/{slug}']),
  );
});

test('a client with generated types compiles, and fails to compile for what does not exist', async () => {
  const types = await generateTypes(document);
  expect(await compileClient(types, program)).toBe('');
});
