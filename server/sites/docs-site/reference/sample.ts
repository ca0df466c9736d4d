import type { Operation, Parameter } from './document.ts';
import { isOpen, isSchema, listAlternatives, resolve, type Schema } from './json-schema.ts';

/** A curl command with values that the schemas accept. */
export function makeCurl(operation: Operation, baseUrl: string): string {
  const { method, body } = operation;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(baseUrl + makeTarget(operation))}`,
    ...makeCredential(operation),
    ...(body ? [`-H 'Content-Type: ${body.type}'`, makeBody(body)] : []),
  ];
  return lines.join(' \\\n  ');
}

function makeBody({ type, schema }: NonNullable<Operation['body']>): string {
  if (type !== 'application/json') return '--data-binary @file';
  return `-d ${quoted(indented(makeSample(schema, 'needed')))}`;
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function indented(value: unknown): string {
  return pretty(value).replaceAll('\n', '\n  ');
}

function makeTarget({ path, parameters }: Operation): string {
  const samples = (place: Parameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.required)
      .map(({ name, schema }) => [name, encodeURIComponent(String(makeSample(schema, 'needed', name)))]);
  const target = samples('path').reduce(
    (whole, [name, value]) => whole.replace(`{${name}}`, value ?? ''),
    path,
  );
  const query = samples('query').map(([name, value]) => `${name}=${value}`);
  return query.length > 0 ? `${target}?${query.join('&')}` : target;
}

/** A token if one is needed, otherwise the login cookie in a file. */
function makeCredential({ accepts }: Operation): string[] {
  if (accepts.bearer) return accepts.anyone ? [] : [`-H "Authorization: Bearer $TOKEN"`];
  return accepts.login ? ['-b cookies.txt -c cookies.txt'] : [];
}

function quoted(text: string): string {
  if (/^[\w/:.@%+,-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `needed`: the required fields, or two optional ones if none is required. `all`: all fields. */
type Extent = 'needed' | 'all';

const OPTIONAL_SHOWN = 2;
const ID_NAME = /^id$|_id$|Id$/;

/** A realistic value that matches the schema. */
export function makeSample(schema: Schema, extent: Extent, name = ''): unknown {
  return sample(schema, name, { extent, root: schema, open: [] });
}

function sample(
  schema: Schema,
  name: string,
  context: { extent: Extent; root: Schema; open: Schema[] },
): unknown {
  const { extent, root, open } = context;
  const resolved = resolve(schema, root);
  if (resolved.examples?.length) return resolved.examples[0];
  if (resolved.default !== undefined) return resolved.default;
  const alternatives = listAlternatives(resolved, root);
  const chosen = alternatives.find(({ type }) => type !== 'null') ?? alternatives[0] ?? {};
  if (chosen.const !== undefined) return chosen.const;
  if (chosen.enum) return chosen.enum[0];
  const mayOpen = !isOpen(chosen, open);
  const inside = { extent, root, open: [...open, chosen] };

  if (chosen.type === 'array') {
    if (chosen.prefixItems) return chosen.prefixItems.map((item) => sample(item, name, inside));
    return isSchema(chosen.items) && mayOpen ? [sample(chosen.items, singular(name), inside)] : [];
  }
  if (chosen.type === 'object') {
    if (!mayOpen) return {};
    if (isSchema(chosen.additionalProperties) && !chosen.properties) {
      return { key: sample(chosen.additionalProperties, 'value', inside) };
    }
    return Object.fromEntries(
      membersShown(chosen, extent).map(([key, member]) => [key, sample(member, key, inside)]),
    );
  }
  if (chosen.type === 'boolean') return true;
  if (chosen.type === 'null') return null;
  if (chosen.type === 'integer' || chosen.type === 'number') return sampleNumber(chosen, name);
  return sampleText(chosen, name);
}

function membersShown(schema: Schema, extent: Extent): [string, Schema][] {
  const members = Object.entries(schema.properties ?? {});
  if (extent === 'all') return members;
  const required = members.filter(([name]) => schema.required?.includes(name));
  return required.length > 0 ? required : members.slice(0, OPTIONAL_SHOWN);
}

function sampleNumber(schema: Schema, name: string): number {
  const wished = ID_NAME.test(name) ? 42 : (schema.multipleOf ?? 1);
  const least = schema.minimum ?? (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + 1;
  return Math.min(Math.max(wished, least), schema.maximum ?? Number.POSITIVE_INFINITY);
}

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-01-31T09:30:00.000Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '6f1d5f0e-3b1c-4c57-9b0a-1d2f3a4b5c6d',
};

/** Sample values by field name; the first match counts. */
const BY_NAME: [RegExp, string][] = [
  [ID_NAME, '42'],
  [/html/i, '<!doctype html><title>Hello</title><h1>Hello</h1>'],
  [/sql/i, 'SELECT 1'],
  [/^code$/i, 'export default { fetch: () => Response.json(42) };'],
  [/slug/i, 'hello-world'],
  [/user_?name|owner|author/i, 'ada'],
  [/password/i, 'correct horse battery staple'],
  [/mime/i, 'image/png'],
  [/url|link|href|thumbnail|original/i, 'https://example.com/'],
  [/token|secret|key$/i, 'Zm9vYmFy'],
  [/description|summary/i, 'Says hello to everyone'],
  [/name|title/i, 'Hello world'],
];
const FALLBACK = 'hello';
const PLAIN_CANDIDATES = ['hello-world', 'hello', 'hello1', 'HELLO', '42', '#336699', 'a'];

function sampleText(schema: Schema, name: string): string {
  const byFormat = schema.format && BY_FORMAT[schema.format];
  if (byFormat) return byFormat;
  const wished = BY_NAME.find(([fits]) => fits.test(name))?.[1] ?? FALLBACK;
  const { pattern, minLength = 0, maxLength } = schema;
  const fitting =
    [wished, ...PLAIN_CANDIDATES].find((text) => !pattern || new RegExp(pattern).test(text)) ?? wished;
  return fitting.padEnd(minLength, fitting).slice(0, maxLength);
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}
