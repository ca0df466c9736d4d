/** Fields of JSON: what two sides made of the same object. */

type Json = unknown;
type Fields = Record<string, Json>;
export type FieldAction = 'added' | 'changed' | 'deleted';
export type Side = 'branch' | 'main' | 'both';

export interface FieldChange {
  name: string;
  action: FieldAction;
  side: Side;
  conflict: boolean;
}

export interface MergedFields {
  /** The fields that a side has changed, without those that both made equal. */
  changes: FieldChange[];
  /** The fields of both. Where they conflict, those of main. */
  merged: Fields;
}

const isFields = (value: Json): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two values are equal, whatever the order of their fields. */
export function isEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isFields(a) || !isFields(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}

/**
 * Merges two changes of an object by field, and of objects in it down to a depth. Lists and other values are taken as a
 * whole. Names of inner fields have dots.
 */
export function mergeFields(
  base: Fields,
  branch: Fields,
  main: Fields,
  depth = 1,
  prefix = '',
): MergedFields {
  const changes: FieldChange[] = [];
  const entries: Array<[string, Json]> = [];
  const names = new Set([...Object.keys(main), ...Object.keys(branch), ...Object.keys(base)]);
  for (const name of names) {
    const [was, one, other] = [base, branch, main].map((each) =>
      Object.hasOwn(each, name) ? each[name] : undefined,
    );
    const keep = (value: Json) => value !== undefined && entries.push([name, value]);
    if (isEqual(one, other)) {
      keep(other);
    } else if (depth > 1 && isFields(one) && isFields(other) && (was === undefined || isFields(was))) {
      const inner = mergeFields((was ?? {}) as Fields, one, other, depth - 1, `${prefix}${name}.`);
      changes.push(...inner.changes);
      keep(inner.merged);
    } else {
      const side = isEqual(was, other) ? 'branch' : isEqual(was, one) ? 'main' : 'both';
      const now = side === 'main' ? other : one;
      const action = was === undefined ? 'added' : now === undefined ? 'deleted' : 'changed';
      changes.push({ name: `${prefix}${name}`, action, side, conflict: side === 'both' });
      keep(side === 'branch' ? one : other);
    }
  }
  return { changes, merged: Object.fromEntries(entries) };
}
