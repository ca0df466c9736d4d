import { useLoad, useRefresh } from '../../../ui/index.ts';
import { type CollectionTarget, readBuilding } from '../api.ts';

const REFRESH_MS = 5_000;

/** What of a saved schema is not ready yet. */
export interface Building {
  /** The fields whose index is being built. */
  indexes: ReadonlySet<string>;
  /** How many percent of the records the search has, while it is built. */
  search?: number | undefined;
}

/** What is being built. `isAsked` is false for schemas that need nothing; `saves` changes when the schema was saved. */
export function useBuilding(target: CollectionTarget, isAsked: boolean, saves: number): Building {
  const { pageId, type, collection } = target;
  const loaded = useLoad(
    async (signal): Promise<Building> =>
      isAsked ? readBuilding(target, signal) : { indexes: new Set<string>() },
    [pageId, type, collection, isAsked, saves],
  );
  const { indexes = new Set<string>(), search } = loaded.value ?? {};
  const isBuilding = indexes.size > 0 || search !== undefined;
  useRefresh(loaded.refresh, isBuilding ? REFRESH_MS : undefined);
  return { indexes, search };
}
