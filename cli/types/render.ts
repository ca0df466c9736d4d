import type { FieldSchema } from '../../contract/data/collection-schema.ts';
import { BINDINGS } from '../../contract/rules/function-names.ts';
import { TYPES_START } from '../project/generated.ts';

/** What is known about the `env` of a function. */
export interface Environment {
  hasDatabase: boolean;
  /** More names of the database, from the settings of a Worker. */
  databaseNames: string[];
  secrets: string[];
  /** The fields of the page's collections; undefined for a function that belongs to no page. */
  collections: Record<string, Record<string, FieldSchema>> | undefined;
}

/** The text of `env.d.ts`. Names from the server stand in it only as names and as strings. */
export function renderTypes({ hasDatabase, databaseNames, secrets, collections }: Environment): string {
  const has = { database: hasDatabase, page: collections !== undefined };
  const bindings = BINDINGS.filter(({ needs }) => needs === undefined || has[needs]);
  const database = BINDINGS.find(({ needs }) => needs === 'database')?.type ?? 'unknown';
  const types = new Map([
    ...bindings.map(({ name, type }) => [name, type] as const),
    ...(hasDatabase ? databaseNames.map((name) => [name, database] as const) : []),
    ...secrets.map((name) => [name, 'string'] as const),
  ]);
  const env = [...types].map(([name, type]) => `  ${toName(name)}: ${type};`);
  const records = Object.entries(collections ?? {}).map(
    ([name, fields]) => `  ${toName(name)}: ${renderFields(fields, '  ')};`,
  );
  return [
    `${TYPES_START} Run it again when the database, the secrets or the schemas change.`,
    '/// <reference types="@cloudflare/workers-types" />',
    '',
    'interface Env {',
    ...env,
    '}',
    '',
    '/** The records of the page, by collection. */',
    'interface Collections {',
    ...records,
    '}',
    '',
    ...(has.database ? [DATABASE] : []),
    ...(has.page ? [PAGE_DATA] : []),
  ].join('\n');
}

/** What the database has and D1 does not. It adds to the type of Cloudflare. */
const DATABASE = `interface D1Database {
  transaction<Result>(run: (tx: D1Database) => Result | Promise<Result>): Promise<Result>;
}
`;

/** `env.DATA`, with the fields that the schemas of the page describe. Other collections can have any. */
const PAGE_DATA = `interface PageRecord<T> {
  id: string;
  collection: string;
  data: T;
  createdAt: string;
  updatedAt: string;
  createdBy?: { id: number; username: string };
}

interface PageMark {
  field: string;
  pieces: Array<{ text: string; hit: boolean }>;
}

interface PageQuery {
  where?: Record<string, unknown>;
  search?: string;
  orderBy?: string;
  order?: 'asc' | 'desc';
  limit?: number;
  offset?: number;
  after?: string;
  before?: string;
  mine?: boolean;
}

interface PageCollection<T> {
  list(query?: PageQuery): Promise<{ records: Array<PageRecord<T> & { marks?: PageMark[] }>; total: number; limit: number; offset: number; hasMore: boolean }>;
  count(query?: { where?: Record<string, unknown>; search?: string; mine?: boolean; groupBy?: string }): Promise<{ count: number; groups?: Array<{ value: unknown; count: number }> }>;
  get(id: string): Promise<PageRecord<T>>;
  create(data: T): Promise<PageRecord<T>>;
  update(id: string, data: { [Field in keyof T]?: T[Field] | null }): Promise<PageRecord<T>>;
  replace(id: string, data: T): Promise<PageRecord<T>>;
  delete(id: string): Promise<void>;
}

type Fields<Name extends string> = Name extends keyof Collections ? Collections[Name] : Record<string, unknown>;

interface PageData {
  team<Name extends string>(collection: Name): PageCollection<Fields<Name>>;
  social<Name extends string>(collection: Name): PageCollection<Fields<Name>>;
}
`;

function renderFields(fields: Record<string, FieldSchema>, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(fields).map(
    ([name, field]) => `${inner}${toName(name)}${field.required ? '' : '?'}: ${renderField(field, inner)};`,
  );
  return lines.length === 0 ? 'Record<string, unknown>' : `{\n${lines.join('\n')}\n${indent}}`;
}

function renderField(field: FieldSchema, indent: string): string {
  switch (field.type) {
    case 'enum':
      return field.values.map((value) => JSON.stringify(value)).join(' | ') || 'never';
    case 'array':
      return `Array<${field.items ? renderField(field.items, indent) : 'unknown'}>`;
    case 'object':
      return renderFields(field.properties ?? {}, indent);
    case 'number':
    case 'boolean':
      return field.type;
    default:
      return 'string';
  }
}

/** Names that need no quotes. */
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const toName = (name: string) => (IDENTIFIER.test(name) ? name : JSON.stringify(name));
