import {
  type CollectionTarget,
  changeRecord,
  createRecord,
  type Data,
  type DataRecord,
  replaceRecord,
} from '../../api.ts';

/** How to save a record that was edited. */
export type Change = { kind: 'none' } | { kind: 'fields'; fields: Data } | { kind: 'all'; data: Data };

/**
 * Only changed fields are sent, so that changes by others are kept. A null in them removes a field, so a record in
 * which a field becomes null is replaced as a whole.
 */
export function toChange(before: Data, after: Data): Change {
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  const changed = Object.entries(after).filter(([name]) => !Object.hasOwn(before, name) || !isSame(name));
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  if (changed.length + removed.length === 0) return { kind: 'none' };
  if (changed.some(([, value]) => value === null)) return { kind: 'all', data: after };
  return { kind: 'fields', fields: Object.fromEntries([...changed, ...removed.map((name) => [name, null])]) };
}

/** Saves a record that was edited, or a new one. Undefined if nothing changed. */
export async function saveRecord(
  target: CollectionTarget,
  record: DataRecord | undefined,
  data: Data,
): Promise<DataRecord | undefined> {
  if (!record) return createRecord(target, data);
  const change = toChange(record.data, data);
  if (change.kind === 'none') return undefined;
  if (change.kind === 'all') return replaceRecord(target, record.id, change.data);
  return changeRecord(target, record.id, change.fields);
}
