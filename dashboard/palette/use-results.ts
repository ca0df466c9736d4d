import { useEffect, useMemo, useState } from 'preact/hooks';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { useLoad, useSettled } from '../ui/index.ts';
import { type Hit, type PaletteEntry, rank } from './entries.ts';
import { readRecent } from './recent.ts';
import { readDocs, readTabs, searchOwn } from './sources.ts';

interface Results {
  groups: Map<string, Hit[]>;
  isLoading: boolean;
  /** True if the pages and functions, or the docs, could not be searched. */
  hasFailed: boolean;
  retry(): void;
}

/** Everything that fits the query. What this browser knows is there at once; the service is asked after a pause. */
export function useResults(typed: string, actions: readonly PaletteEntry[]): Results {
  const query = typed.trim();
  const settled = useSettled(query);
  const own = useLoad((signal) => searchOwn(settled, signal), [settled]);
  const docs = useLoad(readDocs, []);
  const [tabs] = useState(readTabs);
  const [recent, setRecent] = useState<PaletteEntry[]>([]);
  const userId = me.value?.id;
  useEffect(() => {
    if (userId !== undefined)
      setRecent(readRecent(userId).map((entry) => ({ ...entry, group: t('Recent') })));
  }, [userId]);

  // While the service is asked, its last results stay if they still fit.
  const isLoading = own.isLoading || settled !== query;
  const groups = useMemo(() => {
    const found = (own.value ?? []).map((entry) => ({ ...entry, isFound: !isLoading }));
    const always = [...recent, ...tabs];
    return rank(
      query ? [...always, ...actions, ...found, ...(docs.value ?? [])] : [...always, ...found, ...actions],
      query,
    );
  }, [query, isLoading, own.value, docs.value, recent, actions]);
  return {
    groups,
    isLoading,
    hasFailed: own.error !== undefined || docs.error !== undefined,
    retry: () => {
      if (own.error) void own.reload();
      if (docs.error) void docs.reload();
    },
  };
}
