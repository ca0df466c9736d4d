import type { CollectionSchema, FieldSchema } from '../../../../../contract/data/collection-schema.ts';
import type { Schema } from '../../../../sites/docs-site/index.ts';

/** The JSON Schema of the records of a collection, or of a change to one, which can leave fields out. */
export function recordSchema({ fields, strict }: CollectionSchema, kind: 'record' | 'change'): Schema {
  const more = strict && { additionalProperties: false };
  if (kind === 'record') return { ...fieldsSchema(fields), ...more };
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    field.required ? fieldSchema(field) : orNull(fieldSchema(field)),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties), ...more };
}

/** A schema that also allows null, which removes a field. */
function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema as { type: string; enum?: unknown[] };
  return values ? { ...schema, enum: [...values, null] } : { ...schema, type: [type, 'null'] };
}

function fieldsSchema(fields: Record<string, FieldSchema>): Schema {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
  };
}

function fieldSchema(field: FieldSchema): Schema {
  switch (field.type) {
    case 'string':
      return {
        type: 'string',
        ...(field.minLength !== undefined && { minLength: field.minLength }),
        ...(field.maxLength !== undefined && { maxLength: field.maxLength }),
        // Not as `pattern`, because it is RE2 syntax, and a client must not run an expression of a stranger.
        ...(field.pattern !== undefined && { description: `Must match ${field.pattern}` }),
      };
    case 'number':
      return {
        type: 'number',
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { enum: field.values };
    case 'array':
      return { type: 'array', ...(field.items && { items: fieldSchema(field.items) }) };
    case 'object':
      return field.properties ? fieldsSchema(field.properties) : { type: 'object' };
    case 'date':
      return { type: 'string', description: 'An ISO 8601 date or time.' };
  }
}
