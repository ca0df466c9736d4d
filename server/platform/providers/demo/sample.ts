type Schema = Record<string, unknown>;

const MAX_ITEMS = 3;
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
export function sampleValue(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return null;
  const fields = schema as Schema;
  if ('const' in fields) return fields.const;
  for (const word of ['enum', 'examples'])
    if (Array.isArray(fields[word]) && fields[word].length > 0) return fields[word][0];
  if ('default' in fields) return fields.default;
  for (const word of ['anyOf', 'oneOf']) if (Array.isArray(fields[word])) return sampleValue(fields[word][0]);
  const type = Array.isArray(fields.type) ? fields.type[0] : fields.type;
  switch (type) {
    case 'object':
      return sampleObject(fields);
    case 'array':
      return Array.from({ length: Math.min(MAX_ITEMS, Math.max(1, toNumber(fields.minItems))) }, () =>
        sampleValue(fields.items),
      ).slice(0, 'maxItems' in fields ? toNumber(fields.maxItems) : undefined);
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

function sampleObject({ properties }: Schema): Schema {
  return Object.fromEntries(
    Object.entries((properties ?? {}) as Schema).map(([name, inner]) => [name, sampleValue(inner)]),
  );
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
