import { useEffect, useState } from 'preact/hooks';
import type { DataRecord, Filter } from '../api.ts';
import type { Selected } from './bulk/run-bulk.ts';

/** The selected records: some of them, also on other pages, or all that match the filter. */
export function useSelection(filter: Filter, total: number) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const clear = () => {
    setIds(new Set());
    setAll(false);
  };
  // Another filter matches other records.
  useEffect(clear, [filter.where, filter.q]);
  const selected: Selected = isAll ? { kind: 'matching', filter, total } : { kind: 'ids', ids: [...ids] };
  return {
    selected,
    clear,
    has: ({ id }: DataRecord) => isAll || ids.has(id),
    /** After "all", a click on one record starts again with what is on the screen. */
    select(records: DataRecord[], isSelected: boolean) {
      const next = new Set(isAll ? [] : ids);
      for (const { id } of records) isSelected ? next.add(id) : next.delete(id);
      setAll(false);
      setIds(next);
    },
    selectAll: () => setAll(true),
  };
}
