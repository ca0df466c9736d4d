/**
 * People and agents know JSON Schema, and collections have a form of their own. A schema in the other form is refused
 * with the same schema in ours, ready to send.
 */

type Fields = Record<string, unknown>;

/** Words that only JSON Schema has. */
const ITS_WORDS = [
  '$schema',
  '$ref',
  'enum',
  'const',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'anyOf',
  'oneOf',
  'allOf',
  'additionalProperties',
];
const MAX_DEPTH = 8;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema of a collection that a JSON Schema describes; undefined if the value does not look like one. */
export function fromJsonSchema(value: unknown): { fields: Fields; strict?: boolean } | undefined {
  if (!isObject(value) || !isJsonSchema(value)) return undefined;
  const properties = isObject(value.properties)
    ? value.properties
    : isObject(value.fields)
      ? value.fields
      : {};
  const fields = toFields(properties, value.required, 1);
  return { fields, ...(value.additionalProperties === false && { strict: true }) };
}

function isJsonSchema(schema: Fields): boolean {
  if ('properties' in schema || schema.type === 'object' || '$schema' in schema) return true;
  return isObject(schema.fields) && Object.values(schema.fields).some((field) => isItsField(field, 1));
}

function isItsField(field: unknown, depth: number): boolean {
  if (!isObject(field) || depth > MAX_DEPTH) return false;
  if (ITS_WORDS.some((word) => word in field) || Array.isArray(field.required)) return true;
  if (Array.isArray(field.type) || field.type === 'integer' || field.type === 'null') return true;
  const inner = isObject(field.properties) ? Object.values(field.properties) : [];
  return [...inner, field.items].some((each) => isItsField(each, depth + 1));
}

function toFields(properties: Fields, required: unknown, depth: number): Fields {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const field = isObject(property) ? property : {};
      const isRequired = needed.has(name) || field.required === true;
      return [name, { ...toField(field, depth), ...(isRequired && { required: true }) }];
    }),
  );
}

/** Converts a JSON Schema to the closest field of a collection. What a field cannot express is left out. */
function toField(field: Fields, depth: number): Fields {
  if (Array.isArray(field.enum)) return { type: 'enum', values: field.enum.filter((each) => each !== null) };
  if ('const' in field) return { type: 'enum', values: [field.const] };
  const type = Array.isArray(field.type) ? field.type.find((each) => each !== 'null') : field.type;
  const pick = (theirs: string, ours: string) =>
    typeof field[theirs] === 'number' ? { [ours]: field[theirs] } : {};
  if (type === 'integer' || type === 'number')
    return {
      type: 'number',
      ...pick('minimum', 'min'),
      ...pick('maximum', 'max'),
      ...pick('min', 'min'),
      ...pick('max', 'max'),
    };
  if (type === 'boolean' || type === 'date') return { type };
  if (type === 'enum') return { type, values: Array.isArray(field.values) ? field.values : [] };
  const isDeep = depth >= MAX_DEPTH;
  if (type === 'array')
    return { type, ...(isObject(field.items) && !isDeep && { items: toField(field.items, depth + 1) }) };
  if (type === 'object')
    return {
      type,
      ...(isObject(field.properties) &&
        !isDeep && { properties: toFields(field.properties, field.required, depth + 1) }),
    };
  if (field.format === 'date-time' || field.format === 'date') return { type: 'date' };
  const pattern = typeof field.pattern === 'string' && { pattern: field.pattern };
  return { type: 'string', ...pick('minLength', 'minLength'), ...pick('maxLength', 'maxLength'), ...pattern };
}
