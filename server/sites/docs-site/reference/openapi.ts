import type { z } from 'zod';
import type { Endpoint, ResponseSpec } from '../../../../contract/endpoint.ts';
import { ErrorBody } from '../../../../contract/error-body.ts';
import { GATE, LOGIN_COOKIE } from '../../../platform/http/index.ts';
import { Components, jsonSchema } from './components.ts';
import type { Parameter } from './document.ts';
import { describeFailures, failureComponents } from './failures.ts';
import { describeHeaders, headerComponents } from './headers.ts';
import type { Schema } from './json-schema.ts';
import { chooseTag, listTags } from './tags.ts';

type Json = Record<string, unknown>;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Describes the API in OpenAPI 3.1, from the schemas that validate its requests. */
export function openApiDocument(routes: Endpoint[], info: { version: string; baseUrl: string }): Json {
  const components = new Components();
  const described = routes.filter(({ path, operationId }) => operationId ?? path.startsWith('/api/'));
  const paths: Record<string, Json> = {};
  for (const route of described) {
    const path = route.path.replace(/[:*](\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quire',
      version: info.version,
      description: 'Publish pages and functions, and store their data.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.baseUrl }],
    tags: listTags(described),
    paths,
    components: {
      schemas: { Error: jsonSchema(ErrorBody, 'input'), ...components.schemas },
      responses: failureComponents(described),
      headers: headerComponents(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token from POST /api/auth/token.' },
  pageSession: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Page-Session',
    description: 'The session of a visitor on one page.',
  },
  login: {
    type: 'apiKey',
    in: 'cookie',
    name: LOGIN_COOKIE,
    description: 'The login session. Over HTTPS, the name of the cookie starts with __Host-.',
  },
};

function operation(route: Endpoint, components: Components): Json {
  const requestBody = describeBody(route, components);
  const shape = route.failureBody && components.add(route.failureBody, 'output');
  return {
    summary: route.summary,
    ...(route.operationId && { operationId: route.operationId }),
    tags: [chooseTag(route)],
    parameters: parameters(route),
    ...(requestBody && { requestBody }),
    responses: { ...describeFailures(route, shape), ...describeResponses(route, components) },
    security: security(route),
  };
}

function describeBody(route: Endpoint, components: Components): Json | undefined {
  const { body, bodyType, bodySchema, bodyTypesToo = [], bodyBytesType, acceptsForm } = route;
  if (!body && !bodyType) return undefined;
  const given = bodySchema ?? body;
  const schema = given ? components.add(given, 'input') : { type: 'string' };
  const types = [bodyType ?? JSON_TYPE, ...bodyTypesToo];
  return {
    required: !route.bodyOptional,
    content: {
      ...Object.fromEntries(types.map((type) => [type, { schema }])),
      ...(bodyBytesType && { [bodyBytesType]: { schema: { type: 'string', format: 'binary' } } }),
      ...(acceptsForm && { [FORM_TYPE]: { schema: asForm(schema) } }),
    },
  };
}

/** Forms have no arrays: lists are separated by spaces. */
function asForm(schema: Schema): Schema {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    field.type === 'array' ? { type: 'string', description: 'Separated by spaces.' } : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

const PHRASES: Record<number, string> = {
  101: 'A WebSocket is open.',
  200: 'Success.',
  201: 'It is made.',
  204: 'Success, without a body.',
};

/** The JSON response, and the other responses of the route. Several media types of one status are merged. */
function describeResponses(route: Endpoint, components: Components): Json {
  const { status = route.upgrades ? 101 : 200, response, answers = [] } = route;
  const description = PHRASES[status] ?? 'Success.';
  const isTold = answers.some((answer) => answer.status === status);
  const all: ResponseSpec[] = [
    ...(response || !isTold ? [{ status, description, ...(response && { schema: response }) }] : []),
    ...answers,
  ];
  const byStatus: Record<string, { description: string; headers: Json; content?: Json }> = {};
  for (const answer of all) {
    const known = byStatus[answer.status];
    const content = { ...known?.content, ...describeContent(answer, components) };
    byStatus[answer.status] = {
      description:
        known && known.description !== description
          ? `${known.description} ${answer.description}`
          : answer.description,
      headers: { ...known?.headers, ...describeHeaders(answer.status, answer.headers) },
      ...(Object.keys(content).length > 0 && { content }),
    };
  }
  return byStatus;
}

function describeContent({ type, schema, events }: ResponseSpec, components: Components): Json {
  if (!type && !schema) return {};
  return {
    [type ?? JSON_TYPE]: {
      schema: schema ? components.add(schema, 'output') : { type: 'string' },
      // OpenAPI 3.1 cannot describe the events of a stream.
      ...(events && { 'x-event-data': components.add(events, 'output') }),
    },
  };
}

/** The parameters of a route in path, query and headers. */
export function parameters(route: Endpoint): Parameter[] {
  const inPath = [...route.path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: findProperty(route.params, name) ?? { type: 'string' },
  }));
  return [...inPath, ...named(route.query, 'query'), ...named(route.headers, 'header')];
}

function named(schema: z.ZodType | undefined, place: 'query' | 'header'): Parameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

function findProperty(schema: z.ZodType | undefined, name: string): Schema | undefined {
  return schema && jsonSchema(schema, 'input').properties?.[name];
}

function security({ access }: Endpoint): Json[] {
  const accepts = GATE[access.kind];
  return [
    ...(accepts.anonymous ? [{}] : []),
    ...(accepts.bearer && !access.kind.startsWith('public')
      ? [{ bearer: access.scope ? [access.scope] : [] }]
      : []),
    ...(accepts.pageSession ? [{ pageSession: [] }] : []),
    ...(accepts.login !== 'never' ? [{ login: [] }] : []),
  ];
}
