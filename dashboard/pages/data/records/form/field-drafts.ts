import { t } from '../../../../texts/index.ts';
import { type CollectionSchema, type Data, type FieldSchema, isObject } from '../../api.ts';

/** The fields of a record as a form edits them: as text. */

/** `json` is for lists, objects, and everything that has no input of its own. */
export type Kind = 'string' | 'number' | 'boolean' | 'enum' | 'date' | 'json';

export interface FieldDraft {
  name: string;
  kind: Kind;
  /** Undefined for a field that the schema does not name. */
  schema: FieldSchema | undefined;
  typed: string;
  /** What was there before. Undefined if the record has no such field. */
  before: { value: unknown; typed: string } | undefined;
}

const KINDS: Record<FieldSchema['type'], Kind> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  enum: 'enum',
  date: 'date',
  array: 'json',
  object: 'json',
};

/** The fields of a record: those of the schema, then its others, then those in `known` that it does not have. */
export function makeDrafts(data: Data, schema: CollectionSchema | null, known: Data = {}): FieldDraft[] {
  const fields = schema?.fields ?? {};
  const others = Object.keys(data).filter((name) => !Object.hasOwn(fields, name));
  const missing = Object.keys(known).filter(
    (name) => !Object.hasOwn(fields, name) && !Object.hasOwn(data, name),
  );
  return [...Object.keys(fields), ...others, ...missing].map((name) =>
    toDraft(name, fields[name], Object.hasOwn(data, name) ? { value: data[name] } : undefined, known[name]),
  );
}

function toDraft(
  name: string,
  schema: FieldSchema | undefined,
  given: { value: unknown } | undefined,
  example: unknown,
): FieldDraft {
  const wanted = schema ? KINDS[schema.type] : chooseKind(given ? given.value : example);
  const kind = !given || holds(wanted, given.value, schema) ? wanted : 'json';
  const typed = given ? write(kind, given.value) : '';
  return { name, kind, schema, typed, before: given && { value: given.value, typed } };
}

/** A field that someone adds to the form. */
export const newDraft = (name: string, kind: Kind): FieldDraft => ({
  name,
  kind,
  schema: undefined,
  typed: '',
  before: undefined,
});

function chooseKind(value: unknown): Kind {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'json';
}

/** Whether the input of this kind can show the value. A value that does not match its schema is shown as JSON. */
function holds(kind: Kind, value: unknown, schema: FieldSchema | undefined): boolean {
  if (kind === 'enum') return schema?.type === 'enum' && schema.values.includes(value as string);
  if (kind === 'date') return typeof value === 'string';
  return kind === 'json' || typeof value === kind;
}

const write = (kind: Kind, value: unknown) => {
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return kind === 'enum' ? JSON.stringify(value) : String(value);
};

export interface ReadRecord {
  data: Data;
  /** Errors by the name of the field. */
  faults: Map<string, string>;
}

/** The record of a form. Fields in which nothing was typed keep their value. */
export function readRecord(drafts: FieldDraft[]): ReadRecord {
  const faults = new Map<string, string>();
  const entries: Array<[string, unknown]> = [];
  for (const draft of drafts) {
    const read = readValue(draft);
    if (read instanceof Error) faults.set(draft.name, read.message);
    else if (read) entries.push([draft.name, read.value]);
    else if (draft.schema?.required) faults.set(draft.name, t('Enter a value.'));
  }
  return { data: Object.fromEntries(entries), faults };
}

/** The value of a field; undefined if it is not set. */
export function readValue({
  kind,
  typed,
  before,
  schema,
}: FieldDraft): { value: unknown } | undefined | Error {
  if (before && before.typed === typed) return { value: before.value };
  // A text that is cleared is removed. In JSON it can be empty.
  if (kind === 'string') return typed === '' ? undefined : { value: typed };
  if (typed.trim() === '') return undefined;
  if (kind === 'date') return { value: typed };
  if (kind === 'number') {
    const value = Number(typed);
    return Number.isFinite(value) ? { value } : new Error(t('Enter a number.'));
  }
  try {
    const value: unknown = JSON.parse(typed);
    if (schema?.type === 'array' && !Array.isArray(value))
      return new Error(t('Enter a JSON array, like ["a", "b"].'));
    if (schema?.type === 'object' && !isObject(value))
      return new Error(t('Enter a JSON object, like {"a": 1}.'));
    return { value };
  } catch {
    return new Error(t('This is not valid JSON. Text needs quotes: "text".'));
  }
}

/** The errors of the service by the field they concern, and those that concern none. */
export function faultsByField(
  names: string[],
  details: Array<{ path: string; message: string }>,
): { faults: Map<string, string>; others: string[] } {
  const faults = new Map<string, string>();
  const others: string[] = [];
  for (const { path, message } of details) {
    const name = names.find((each) => path === `data.${each}` || path.startsWith(`data.${each}.`));
    if (name === undefined) others.push(`${path} ${message}`);
    else {
      const inside = path.slice(`data.${name}`.length + 1);
      const words = inside ? `${inside} ${message}` : message;
      faults.set(name, [faults.get(name), words].filter(Boolean).join('; '));
    }
  }
  return { faults, others };
}

/** The choices of a field, as they are typed and as people read them. */
export function listOptions(schema: FieldSchema | undefined): Array<readonly [string, string]> {
  if (schema?.type === 'enum')
    return schema.values.map((value) => [JSON.stringify(value), String(value)] as const);
  return [
    ['true', t('Yes')],
    ['false', t('No')],
  ];
}

/** The data of a record with what was typed into one field. Throws what is wrong with it. */
export function withField(data: Data, draft: FieldDraft): Data {
  const read = readValue(draft);
  if (read instanceof Error) throw read;
  const { [draft.name]: _, ...others } = data;
  return read ? { ...data, [draft.name]: read.value } : others;
}
