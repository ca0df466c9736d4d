import type { Schema } from './json-schema.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

/** The credentials that an operation accepts. */
export interface Accepts {
  anyone: boolean;
  bearer?: { scope: string | undefined };
  pageSession: boolean;
  login: boolean;
}

/** One method on one path. */
export interface Operation {
  anchor: string;
  method: string;
  path: string;
  summary: string;
  accepts: Accepts;
  parameters: Parameter[];
  body?: { type: string; required: boolean; schema: Schema };
  answer: { status: string; type?: string; schema?: Schema };
  /** The error statuses. */
  failures: string[];
}

/** The operations of one tag. */
export interface Group {
  name: string;
  title: string;
  description: string;
  operations: Operation[];
}

interface Reference {
  title: string;
  version: string;
  description: string;
  baseUrl: string;
  groups: Group[];
}

type Content = Record<string, { schema: Schema }>;

/** The part of the OpenAPI document that the reference uses. */
interface OpenApi {
  info: { title: string; version: string; description: string };
  servers: [{ url: string }];
  paths: Record<string, Record<string, OpenApiOperation>>;
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, Schema> };
}

interface OpenApiOperation {
  summary: string;
  tags: [string];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  security: Partial<Record<'bearer' | 'pageSession' | 'login', string[]>>[];
}

/** Groups the operations by tag, in the order of the document. */
export function readDocument(document: Record<string, unknown>): Reference {
  const { info, servers, paths, components, tags } = document as unknown as OpenApi;
  const groups = new Map<string, Group>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const tag = described.tags[0];
      const group = groups.get(tag) ?? {
        name: toSlug(tag),
        title: toTitle(tag),
        description: tags.find(({ name }) => name === tag)?.description ?? '',
        operations: [],
      };
      group.operations.push(readOperation(method, path, described, components.schemas));
      groups.set(tag, group);
    }
  }
  return { ...info, baseUrl: servers[0].url, groups: [...groups.values()] };
}

function readOperation(
  method: string,
  path: string,
  described: OpenApiOperation,
  $defs: Record<string, Schema>,
): Operation {
  const { summary, parameters, requestBody, responses, security } = described;
  const [status = '200', success] = Object.entries(responses).find(([key]) => key.startsWith('2')) ?? [];
  const bearer = security.find((way) => way.bearer)?.bearer;
  return {
    anchor: toSlug(`${method} ${path.replace(/^\/api\//, '').replace(/\{(\w+)\}/g, 'by-$1')}`),
    method: method.toUpperCase(),
    path,
    summary,
    accepts: {
      anyone: security.some((way) => Object.keys(way).length === 0),
      ...(bearer && { bearer: { scope: bearer[0] } }),
      pageSession: security.some((way) => way.pageSession),
      login: security.some((way) => way.login),
    },
    parameters,
    ...(requestBody && { body: { required: requestBody.required, ...typed(requestBody.content, $defs) } }),
    answer: { status, ...(success?.content && typed(success.content, $defs)) },
    failures: Object.keys(responses).filter((key) => /^[45]/.test(key)),
  };
}

/** The first media type, and its schema with references. */
function typed(content: Content, $defs: Record<string, Schema>): { type: string; schema: Schema } {
  const [[type, { schema }] = ['application/json', { schema: {} }]] = Object.entries(content);
  return { type, schema: { ...schema, $defs } };
}

/** Titles of tags that differ from the tag. */
const SPELLINGS: Record<string, string> = {
  auth: 'authentication',
  ai: 'AI',
  api: 'API',
  openapi: 'OpenAPI',
  sql: 'SQL',
  oauth: 'OAuth',
  tls: 'HTTPS',
};

function toTitle(tag: string): string {
  const words = tag
    .replace(/\.\w+$/, '')
    .split(/[-_]/)
    .map((word) => SPELLINGS[word] ?? word)
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toSlug(text: string): string {
  return text.replace(/[^\w]+/g, '-').toLowerCase();
}
