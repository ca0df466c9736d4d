import type { Schema } from '../../../../sites/docs-site/index.ts';

/**
 * A schema as agents read it: what a value is and means, without lengths and patterns. Every client pays for the list of
 * tools before it does anything, and the API checks every value and says what is wrong with it.
 */
export function shorten(schema: Schema): Schema {
  const { type, description, enum: values, const: only, default: given } = schema;
  // An example in the description says what the parts are.
  const { properties, items } = description?.includes('{"') ? {} : schema;
  const [one, ...others] = (schema.anyOf ?? schema.oneOf ?? []).filter((each) => each.type !== 'null');
  if (one && others.length === 0) return shorten({ ...one, ...(description && { description }) });
  const isOpen = only === undefined && values === undefined;
  return {
    ...(type !== undefined && isOpen && { type }),
    ...(description && { description }),
    ...(values && { enum: values }),
    ...(only !== undefined && { enum: [only] }),
    ...(isPlain(given) && { default: given }),
    ...(properties && { properties: shortenAll(properties) }),
    ...(schema.required && properties && { required: schema.required }),
    ...(typeof items === 'object' && Object.keys(items).length > 0 && { items: shorten(items) }),
    ...(one && { anyOf: [one, ...others].map(shorten) }),
  };
}

/** A default says something if it is a number, or one of several words. */
const isPlain = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && value !== '');

export function shortenAll(properties: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, shorten(schema)]));
}
