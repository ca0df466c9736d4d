/** Which fields of a schema can have an index. */

/** Characters of the path of a field that has an index. */
export const MAX_INDEX_CHARACTERS = 500;

/** The properties of a field that decide whether it can have an index. */
interface Field {
  type: string;
  properties?: Record<string, Field> | undefined;
}

const INDEXABLE: readonly string[] = ['string', 'number', 'boolean', 'enum', 'date'];

/** Whether a path such as `author.city` leads to a field that can have an index. */
export function isIndexable(fields: Record<string, Field>, path: string): boolean {
  const [name = '', ...rest] = path.split('.');
  // Lists cannot be filtered by names that JSON would have to escape.
  if (!Object.hasOwn(fields, name) || JSON.stringify(name) !== `"${name}"`) return false;
  const field = fields[name] as Field;
  if (rest.length === 0) return INDEXABLE.includes(field.type);
  return field.type === 'object' && isIndexable(field.properties ?? {}, rest.join('.'));
}

/** The paths of all fields that can have an index. */
export function listIndexable(fields: Record<string, Field>): string[] {
  const within = (name: string, field: Field): string[] =>
    field.type === 'object' ? listIndexable(field.properties ?? {}).map((path) => `${name}.${path}`) : [name];
  return Object.entries(fields)
    .flatMap(([name, field]) => within(name, field))
    .filter((path) => isIndexable(fields, path));
}
