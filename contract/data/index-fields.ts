/** Which fields of a schema can have an index, and which can be searched. */

/** Characters of the path of a field that has an index. */
export const MAX_INDEX_CHARACTERS = 500;

/** The properties of a field that decide whether it can have an index. */
interface Field {
  type: string;
  items?: Field | undefined;
  properties?: Record<string, Field> | undefined;
}

const INDEXABLE: readonly string[] = ['string', 'number', 'boolean', 'enum', 'date'];

const SEARCHABLE: readonly string[] = ['string', 'enum'];

/** Whether a path such as `author.city` leads to a field that can have an index. */
export const isIndexable = (fields: Record<string, Field>, path: string): boolean =>
  leadsTo(fields, path, ({ type }) => INDEXABLE.includes(type));

/** Whether a path such as `author.city` leads to a text, or to a list of texts, so that it can be searched. */
export const isSearchable = (fields: Record<string, Field>, path: string): boolean =>
  leadsTo(fields, path, ({ type, items }) =>
    SEARCHABLE.includes(type === 'array' ? (items?.type ?? '') : type),
  );

function leadsTo(fields: Record<string, Field>, path: string, isRight: (field: Field) => boolean): boolean {
  const [name = '', ...rest] = path.split('.');
  // Lists cannot be filtered by names that JSON would have to escape.
  if (!Object.hasOwn(fields, name) || JSON.stringify(name) !== `"${name}"`) return false;
  const field = fields[name] as Field;
  if (rest.length === 0) return isRight(field);
  return field.type === 'object' && leadsTo(field.properties ?? {}, rest.join('.'), isRight);
}

/** The paths of all fields that can have an index. */
export const listIndexable = (fields: Record<string, Field>): string[] =>
  listPaths(fields).filter((path) => isIndexable(fields, path));

/** The paths of all fields that can be searched. */
export const listSearchable = (fields: Record<string, Field>): string[] =>
  listPaths(fields).filter((path) => isSearchable(fields, path));

function listPaths(fields: Record<string, Field>): string[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.type === 'object' ? listPaths(field.properties ?? {}).map((path) => `${name}.${path}`) : [name],
  );
}
