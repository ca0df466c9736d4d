import { type CollectionSchema, type Data, type FieldSchema, isObject } from '../api.ts';

/** Infers a schema from records. It is a proposal: the owner reviews it before it is saved. */

/** Text with few different values is probably one of a list. */
const MAX_CHOICES = 8;
const MAX_CHOICE_LETTERS = 40;
/** Each choice must occur this often on average. */
const MIN_REPEATS = 4;
const MAX_NESTING = 3;

export interface Suggestion {
  schema: CollectionSchema;
  /** Fields that have values of several types, so that no rule fits them. */
  mixed: string[];
}

/** So many equal records are not a coincidence. */
const MIN_EQUAL = 20;

/** Whether records all have the same fields, each of one type, so that a schema would fit them. */
export function hasOneShape(records: Data[]): boolean {
  const [first] = records;
  if (!first || records.length < MIN_EQUAL) return false;
  const names = Object.keys(first);
  const isSame = (data: Data) =>
    Object.keys(data).length === names.length && names.every((name) => Object.hasOwn(data, name));
  return names.length > 0 && records.every(isSame) && inferSchema(records).mixed.length === 0;
}

export function inferSchema(records: Data[]): Suggestion {
  const names = [...new Set(records.flatMap((data) => Object.keys(data)))].filter((name) => name !== '');
  const mixed: string[] = [];
  const fields: Record<string, FieldSchema> = {};
  for (const name of names) {
    const values = records.map((data) => (Object.hasOwn(data, name) ? data[name] : undefined));
    const field = inferField(values, 1);
    if (field) fields[name] = field;
    else mixed.push(name);
  }
  return { schema: { fields }, mixed };
}

/** Undefined if no type fits all values. Missing and null values make a field optional. */
function inferField(all: unknown[], depth: number): FieldSchema | undefined {
  const values = all.filter((value) => value !== undefined && value !== null);
  const required = values.length === all.length && values.length > 0;
  const type = typeOfAll(values, depth);
  return type && { ...type, ...(required && { required }) };
}

function typeOfAll(values: unknown[], depth: number): FieldSchema | undefined {
  if (values.length === 0) return undefined;
  if (values.every((value) => typeof value === 'number')) return { type: 'number' };
  if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
  if (values.every((value) => typeof value === 'string')) return typeOfTexts(values);
  if (values.every(Array.isArray)) {
    const items = depth < MAX_NESTING ? typeOfAll(values.flat(), depth + 1) : undefined;
    // The items of a few lists do not show all choices that there are.
    return { type: 'array', ...(items && { items: items.type === 'enum' ? { type: 'string' } : items }) };
  }
  return values.every(isObject) ? typeOfObjects(values, depth) : undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function typeOfTexts(texts: string[]): FieldSchema {
  if (texts.every((text) => DATE.test(text) && !Number.isNaN(Date.parse(text)))) return { type: 'date' };
  const choices = [...new Set(texts)];
  const isList =
    choices.length <= MAX_CHOICES &&
    texts.length >= choices.length * MIN_REPEATS &&
    choices.every((text) => text !== '' && text.length <= MAX_CHOICE_LETTERS);
  return isList && choices.length > 1 ? { type: 'enum', values: choices.sort() } : { type: 'string' };
}

function typeOfObjects(objects: Data[], depth: number): FieldSchema {
  if (depth >= MAX_NESTING) return { type: 'object' };
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const entries = names.map(
    (name) =>
      [
        name,
        inferField(
          objects.map((object) => object[name]),
          depth + 1,
        ),
      ] as const,
  );
  const properties = Object.fromEntries(entries.filter(([name, field]) => name !== '' && field)) as Record<
    string,
    FieldSchema
  >;
  return { type: 'object', ...(Object.keys(properties).length > 0 && { properties }) };
}
