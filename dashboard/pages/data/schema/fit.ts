import {
  type CollectionPlace,
  type CollectionSchema,
  type Data,
  type FieldSchema,
  isObject,
  readAll,
} from '../api.ts';

/** Whether records that are there already fit a schema. The rules are the service's, told in fewer words. */

const MAX_CHECKED = 1_000;
const MAX_SHOWN = 10;

export interface Fit {
  checked: number;
  total: number;
  misfits: number;
  /** The first of them. */
  shown: Array<{ id: string; faults: string[] }>;
}

type Matches = (pattern: string, text: string) => boolean;

export async function checkFit(
  place: CollectionPlace,
  schema: CollectionSchema,
  options: { signal: AbortSignal; onProgress: (done: number, total: number) => void },
): Promise<Fit> {
  const matches = await loadMatches();
  const fit: Fit = { checked: 0, total: 0, misfits: 0, shown: [] };
  for await (const { records, total } of readAll(place, options)) {
    fit.total = total;
    for (const { id, data } of records) {
      const faults = faultsOf(schema, data, matches);
      fit.checked += 1;
      if (faults.length === 0) continue;
      fit.misfits += 1;
      if (fit.shown.length < MAX_SHOWN) fit.shown.push({ id, faults });
    }
    options.onProgress(fit.checked, Math.min(total, MAX_CHECKED));
    if (fit.checked >= MAX_CHECKED) break;
  }
  return fit;
}

/** Patterns run in linear time here too: a stranger's record must not freeze the owner's window. */
async function loadMatches(): Promise<Matches> {
  const { RE2JS } = await import('re2js');
  const compiled = new Map<string, InstanceType<typeof RE2JS>>();
  return (pattern, text) => {
    const known = compiled.get(pattern) ?? RE2JS.compile(pattern);
    compiled.set(pattern, known);
    return known.matcher(text).find();
  };
}

export function faultsOf(schema: CollectionSchema, data: Data, matches: Matches): string[] {
  const faults = fieldFaults(schema.fields, data, '', matches);
  if (!schema.strict) return faults;
  const unknown = Object.keys(data).filter((name) => !Object.hasOwn(schema.fields, name));
  return [...faults, ...unknown.map((name) => `${name} is not in the schema`)];
}

function fieldFaults(
  fields: Record<string, FieldSchema>,
  data: Data,
  prefix: string,
  matches: Matches,
): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value === undefined || value === null) return field.required ? [`${prefix}${name} is missing`] : [];
    return valueFaults(field, value, `${prefix}${name}`, matches);
  });
}

function valueFaults(field: FieldSchema, value: unknown, path: string, matches: Matches): string[] {
  const fault = faultOf(field, value, matches);
  if (fault) return [`${path} ${fault}`];
  if (field.type === 'array' && field.items) {
    const { items } = field;
    return (value as unknown[]).flatMap((item, index) =>
      valueFaults(items, item, `${path}.${index}`, matches),
    );
  }
  if (field.type === 'object' && field.properties) {
    return fieldFaults(field.properties, value as Data, `${path}.`, matches);
  }
  return [];
}

function faultOf(field: FieldSchema, value: unknown, matches: Matches): string | undefined {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? textFault(field, value, matches) : 'is no text';
    case 'number':
      if (typeof value !== 'number') return 'is no number';
      if (value < (field.min ?? value)) return `is less than ${field.min}`;
      return value > (field.max ?? value) ? `is more than ${field.max}` : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'is neither true nor false';
    case 'enum':
      return field.values?.includes(value as string) ? undefined : 'is none of the values';
    case 'array':
      return Array.isArray(value) ? undefined : 'is no list';
    case 'object':
      return isObject(value) ? undefined : 'is no object';
    case 'date':
      return typeof value === 'string' && isDate(value) ? undefined : 'is no date';
  }
}

function textFault(field: FieldSchema, text: string, matches: Matches): string | undefined {
  const { length } = [...text];
  if (length < (field.minLength ?? 0)) return `is shorter than ${field.minLength}`;
  if (length > (field.maxLength ?? length)) return `is longer than ${field.maxLength}`;
  return field.pattern === undefined || matches(field.pattern, text)
    ? undefined
    : `does not match ${field.pattern}`;
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function isDate(text: string): boolean {
  const [, year, month, day] = ISO_DATE.exec(text) ?? [];
  if (!year || Number.isNaN(Date.parse(text))) return false;
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
