import { useLoad, useRefresh } from '../../../ui/index.ts';
import { type CollectionTarget, listBuilding } from '../api.ts';

const REFRESH_MS = 5_000;

/** The fields whose index is not ready yet. `saves` changes when the schema was saved. */
export function useBuilding(
  target: CollectionTarget,
  hasIndexes: boolean,
  saves: number,
): ReadonlySet<string> {
  const { pageId, type, collection } = target;
  const loaded = useLoad(
    async (signal) => (hasIndexes ? listBuilding(target, signal) : []),
    [pageId, type, collection, hasIndexes, saves],
  );
  const isBuilding = (loaded.value?.length ?? 0) > 0;
  useRefresh(loaded.refresh, isBuilding ? REFRESH_MS : undefined);
  return new Set(loaded.value);
}
