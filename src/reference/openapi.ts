import { z } from 'zod';
import { ERROR_STATUS, GATE, type Route } from '../http/index.ts';
import type { Parameter } from './document.ts';
import type { Schema } from './json-schema.ts';

type Json = Record<string, unknown>;

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'A sentence that says what to do.' },
    code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
    details: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

/** Describes the API in OpenAPI 3.1, from the very schemas that validate its requests. */
export function openApiDocument(routes: Route[], info: { version: string; baseUrl: string }): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes.filter(({ path }) => path.startsWith('/api/'))) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quire',
      version: info.version,
      description: 'Publish pages and functions, and keep their data.',
    },
    servers: [{ url: info.baseUrl }],
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token from POST /api/auth/token.' },
        pageSession: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Page-Session',
          description: 'Held by a page for its visitor.',
        },
        login: { type: 'apiKey', in: 'cookie', name: 'quire_session', description: 'The login session.' },
      },
    },
  };
}

function operation(route: Route): Json {
  const status = String(route.status ?? 200);
  return {
    summary: route.summary,
    tags: [route.path.split('/')[2]],
    parameters: parameters(route),
    ...(route.bodyType && {
      requestBody: { required: true, content: { [route.bodyType]: { schema: { type: 'string' } } } },
    }),
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: { 'application/json': { schema: jsonSchema(route.body, 'input') } },
      },
    }),
    responses: {
      [status]: {
        description: 'Success',
        ...(route.response && {
          content: { 'application/json': { schema: jsonSchema(route.response, 'output') } },
        }),
      },
      default: {
        description: 'A failure',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    security: security(route),
  };
}

/** What a route takes in its path and query. */
export function parameters(route: Route): Parameter[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: propertyOf(route.params, name) ?? { type: 'string' },
  }));
  if (!route.query) return inPath;
  const { properties = {}, required = [] } = jsonSchema(route.query, 'input');
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    required: required.includes(name),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function propertyOf(schema: z.ZodType | undefined, name: string): Schema | undefined {
  return schema && jsonSchema(schema, 'input').properties?.[name];
}

/** A zod schema as JSON Schema: of what is sent, or of what comes back. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as Schema;
}

function security({ access }: Route): Json[] {
  const accepts = GATE[access.kind];
  return [
    ...(accepts.anonymous ? [{}] : []),
    ...(accepts.bearer && access.kind !== 'public' ? [{ bearer: access.scope ? [access.scope] : [] }] : []),
    ...(accepts.pageSession ? [{ pageSession: [] }] : []),
    ...(accepts.login !== 'never' ? [{ login: [] }] : []),
  ];
}
