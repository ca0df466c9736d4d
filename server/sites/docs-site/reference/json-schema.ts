import { html } from '../../screens/index.ts';

type Html = ReturnType<typeof html>;

/** The part of JSON Schema that zod uses. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  examples?: unknown[];
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema | boolean;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}

/** A row of the field table: a field, or the heading of one alternative of a union. */
export type Row = { alternative: string } | Field;

export interface Field {
  /** The path of the parent, such as `page.` or `results[].`; empty at the top. */
  prefix: string;
  name: string;
  schema: Schema;
  isRequired: boolean;
}

const ROOT_REF = '#';
const DEFINITION_REF = /^#\/(?:\$defs|components\/schemas)\/(.+)$/;

/** The schema with references resolved and intersections merged. An unknown reference allows any value. */
export function resolve(schema: Schema, root: Schema): Schema {
  if (schema.$ref === ROOT_REF) return root;
  if (schema.$ref) {
    const name = DEFINITION_REF.exec(schema.$ref)?.[1];
    const found = name && root.$defs?.[name];
    return found ? resolve(found, root) : {};
  }
  if (!schema.allOf) return schema;
  const parts = [{ ...schema, allOf: undefined }, ...schema.allOf.map((part) => resolve(part, root))];
  return {
    ...(Object.assign({}, ...parts) as Schema),
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>,
    required: parts.flatMap((part) => part.required ?? []),
  };
}

/** The alternatives: the members of a union, or the schema itself. */
export function listAlternatives(schema: Schema, root: Schema): Schema[] {
  const resolved = resolve(schema, root);
  const members = resolved.anyOf ?? resolved.oneOf;
  if (members) return members.flatMap((member) => listAlternatives(member, root));
  if (!Array.isArray(resolved.type)) return [resolved];
  return resolved.type.map((type) => ({ ...resolved, type }));
}

const DEEPEST = 8;

/** True if a schema is already shown further up, or is nested too deeply to show. */
export function isOpen(schema: Schema, open: Schema[]): boolean {
  return open.includes(schema) || open.length >= DEEPEST;
}

/** Flattens a schema into rows, parents first. A recursive schema is expanded once. */
export function toRows(schema: Schema, root: Schema = schema, path = '', open: Schema[] = []): Row[] {
  const branches = listAlternatives(schema, root)
    .filter((alternative) => !isOpen(alternative, open))
    .map((alternative) => ({
      alternative,
      rows: listMembers(alternative, root, path, [...open, alternative]),
    }))
    .filter(({ rows }) => rows.length > 0);
  if (branches.length < 2) return branches.flatMap(({ rows }) => rows);
  return branches.flatMap(({ alternative, rows }, index) => [
    { alternative: alternativeName(alternative, path, index) },
    ...rows,
  ]);
}

function listMembers(schema: Schema, root: Schema, path: string, open: Schema[]): Row[] {
  if (isSchema(schema.items)) return toRows(schema.items, root, `${path}[]`, open);
  const prefix = path && `${path}.`;
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { prefix, name, schema: property, isRequired: schema.required?.includes(name) ?? false },
    ...toRows(property, root, prefix + name, open),
  ]);
  const { additionalProperties } = schema;
  return isSchema(additionalProperties)
    ? [...named, ...toRows(additionalProperties, root, `${prefix}*`, open)]
    : named;
}

function alternativeName(schema: Schema, path: string, index: number): string {
  const fixed = Object.entries(schema.properties ?? {}).find(([, property]) => property.const !== undefined);
  const where = path && ` for ${path}`;
  if (!fixed || typeof fixed[1].const !== 'string') return `Option ${index + 1}${where}`;
  return `When ${path && `${path}.`}${fixed[0]} is ${fixed[1].const}`;
}

const FORMAT_NAMES: Record<string, string> = {
  'date-time': 'ISO 8601 date and time',
  date: 'ISO 8601 date',
  email: 'email address',
  uri: 'URL',
  uuid: 'UUID',
};

/** The type as text, such as "array of strings" or "string or null". */
export function describeType(schema: Schema, root: Schema, open: Schema[] = []): string {
  const names = listAlternatives(schema, root).map((alternative) =>
    isOpen(alternative, open) ? 'any value' : typeName(alternative, root, [...open, alternative]),
  );
  const unique = [...new Set(names)];
  const last = unique.pop() ?? 'any value';
  return unique.length > 0 ? `${unique.join(', ')} or ${last}` : last;
}

function typeName(schema: Schema, root: Schema, open: Schema[]): string {
  if (schema.prefixItems) {
    return `array of ${schema.prefixItems.map((item) => describeType(item, root, open)).join(', then ')}`;
  }
  if (schema.type === 'array') {
    return isSchema(schema.items) ? `array of ${plural(describeType(schema.items, root, open))}` : 'array';
  }
  if (schema.type === 'object' && !schema.properties && isSchema(schema.additionalProperties)) {
    return `map of ${plural(describeType(schema.additionalProperties, root, open))}`;
  }
  const type = typeof schema.type === 'string' ? schema.type : 'any value';
  const format = schema.format && FORMAT_NAMES[schema.format];
  return format ? `${type} (${format})` : type;
}

function plural(type: string): string {
  if (/^(array|map) of /.test(type)) return type.replace(' of', 's of');
  return /^(string|integer|number|boolean|object|any value)$/.test(type) ? `${type}s` : type;
}

export function isSchema(value: Schema | boolean | undefined): value is Schema {
  return typeof value === 'object';
}

/** Everything beyond the type: allowed values, limits, default. */
export function listNotes(schema: Schema, root: Schema): Html[] {
  const own = resolve(schema, root);
  const notes = listAlternatives(own, root).flatMap((alternative) => [
    ...choices(alternative),
    ...limits(alternative),
    ...ofItems(alternative, root),
  ]);
  const fallback = schema.default ?? own.default;
  if (fallback === undefined) return notes;
  return [...notes, fallback === '' ? html`empty by default` : html`default ${code(fallback)}`];
}

/** The description of a schema. */
export function findDescription(schema: Schema, root: Schema): string | undefined {
  return schema.description ?? resolve(schema, root).description;
}

function choices(schema: Schema): Html[] {
  if (schema.const !== undefined) return [html`always ${code(schema.const)}`];
  if (!schema.enum) return [];
  return [html`one of ${schema.enum.map((value, index) => html`${index > 0 && ', '}${code(value)}`)}`];
}

function limits(schema: Schema): Html[] {
  const { type, format, pattern, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(unlessSafe(schema.minimum), unlessSafe(schema.maximum)),
    exclusiveMinimum !== undefined && html`more than ${figure(exclusiveMinimum)}`,
    exclusiveMaximum !== undefined && html`less than ${figure(exclusiveMaximum)}`,
    multipleOf !== undefined && html`a multiple of ${figure(multipleOf)}`,
    // The name of a format says more than zod's pattern for it.
    type === 'string' &&
      pattern !== undefined &&
      format === undefined &&
      html`matches <code>${pattern}</code>`,
  ].filter((note) => note !== false && note !== undefined);
}

function ofItems(schema: Schema, root: Schema): Html[] {
  if (!isSchema(schema.items)) return [];
  const items = resolve(schema.items, root);
  return [...choices(items), ...limits(items)].map((note) => html`each ${note}`);
}

function range(min: number | undefined, max: number | undefined, unit?: string): Html | undefined {
  const from = unit && min === 0 ? undefined : min;
  if (from === undefined && max === undefined) return undefined;
  const units = unit && ` ${unit}${(max ?? from) === 1 ? '' : 's'}`;
  if (max === undefined) return html`at least ${figure(from ?? 0)}${units}`;
  if (from === undefined) return html`at most ${figure(max)}${units}`;
  return from === max
    ? html`exactly ${figure(max)}${units}`
    : html`${figure(from)} to ${figure(max)}${units}`;
}

/** zod limits every integer to what a double can represent. Do not show that. */
function unlessSafe(bound: number | undefined): number | undefined {
  return bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function figure(value: number): string {
  return value.toLocaleString('en');
}

function code(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}
