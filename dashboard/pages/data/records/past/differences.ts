import type { PastChange } from '../../../../../contract/data/record-history.ts';
import type { Data } from '../../api.ts';

/** A field that a change has set, changed or removed. Undefined if it was not there. */
export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** A change, and the fields that it changed. */
export interface Compared extends PastChange {
  differences: Difference[];
}

/** Finds what each change of a record did. `present` is the record now; undefined if it is deleted. */
export function compareChanges(changes: PastChange[], present: Data | undefined): Compared[] {
  return changes.map((change, at) => {
    const after = at === 0 ? present : (changes[at - 1]?.before ?? undefined);
    // A deletion and a return show the whole record.
    const isWhole = change.action !== 'update';
    const whole = change.before ?? after ?? {};
    const differences = isWhole
      ? listDifferences(change.before ?? {}, change.action === 'delete' ? {} : whole)
      : listDifferences(change.before ?? {}, after ?? {});
    return { ...change, differences };
  });
}

function listDifferences(before: Data, after: Data): Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const read = (data: Data, field: string) => (Object.hasOwn(data, field) ? data[field] : undefined);
  return fields
    .map((field) => ({ field, before: read(before, field), after: read(after, field) }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
}
