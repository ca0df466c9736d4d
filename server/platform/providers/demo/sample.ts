type Schema = Record<string, unknown>;

const MAX_ITEMS = 100;
/** Lists in lists multiply: a sample ends after so many values. */
const MAX_VALUES = 200;
const MAX_LETTERS = 1_000;

const FORMATS: Record<string, string> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'somebody@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A value that fits a JSON Schema: the first that it allows, and otherwise a short one of its type. */
export const sampleValue = (schema: unknown): unknown => sample(schema, { left: MAX_VALUES });

interface Budget {
  left: number;
}

function sample(schema: unknown, budget: Budget): unknown {
  budget.left -= 1;
  if (typeof schema !== 'object' || schema === null) return null;
  const fields = schema as Schema;
  if ('const' in fields) return fields.const;
  for (const word of ['enum', 'examples'])
    if (Array.isArray(fields[word]) && fields[word].length > 0) return fields[word][0];
  if ('default' in fields) return fields.default;
  for (const word of ['anyOf', 'oneOf'])
    if (Array.isArray(fields[word])) return sample(fields[word][0], budget);
  const type = Array.isArray(fields.type) ? fields.type[0] : fields.type;
  switch (type) {
    case 'object':
      return sampleObject(fields, budget);
    case 'array':
      return sampleList(fields, budget);
    case 'integer':
    case 'number':
      return sampleNumber(fields, type === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(fields);
  }
}

function sampleObject({ properties, required = [], additionalProperties = {} }: Schema, budget: Budget) {
  const others = (required as string[]).map((name) => [name, additionalProperties]);
  const all = { ...Object.fromEntries(others), ...((properties ?? {}) as Schema) };
  return Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, sample(inner, budget)]));
}

function sampleList({ items, minItems, maxItems }: Schema, budget: Budget): unknown[] {
  const most = maxItems === undefined ? MAX_ITEMS : toNumber(maxItems);
  const length = Math.min(Math.max(1, toNumber(minItems)), most, MAX_ITEMS);
  const list: unknown[] = [];
  while (list.length < length && budget.left > 0) list.push(sample(items, budget));
  return list;
}

function sampleNumber(fields: Schema, isWhole: boolean): number {
  const step = toNumber(fields.multipleOf) || 1;
  const above =
    'exclusiveMinimum' in fields ? toNumber(fields.exclusiveMinimum) + (isWhole ? 1 : step / 2) : 0;
  const least = 'minimum' in fields ? toNumber(fields.minimum) : above;
  const value = 'multipleOf' in fields ? Math.ceil(least / step) * step : isWhole ? Math.ceil(least) : least;
  return 'maximum' in fields ? Math.min(value, toNumber(fields.maximum)) : value;
}

function sampleText({ format, minLength, maxLength }: Schema): string {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  const text = known ?? 'demo';
  return text
    .padEnd(Math.min(MAX_LETTERS, toNumber(minLength)), '.')
    .slice(0, maxLength === undefined ? undefined : toNumber(maxLength));
}

const toNumber = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
