import { useMemo } from 'preact/hooks';
import type { VisitorsNow } from '../../../contract/accounts/home/home.ts';
import { accountEndpoints } from '../../../contract/accounts/own-account-endpoints.ts';
import { call } from '../../api.ts';
import { useLoad } from '../loading/load.tsx';
import { useRefresh } from '../loading/refresh.ts';

/** The last days of all pages and functions, in one request. Empty until it has arrived, and if it fails. */
export function useActivity() {
  const { value } = useLoad((signal) => call(accountEndpoints.getActivity, { signal }), []);
  return useMemo(
    () => ({
      views: new Map(value?.pages.map(({ id, views }) => [id, views])),
      calls: new Map(value?.functions.map(({ slug, calls }) => [slug, calls])),
    }),
    [value],
  );
}

const REFRESH_MS = 20_000;

/** Who is on the person's pages now. Undefined until it is known. */
export function useVisitorsNow(): VisitorsNow | undefined {
  const { value, refresh } = useLoad((signal) => call(accountEndpoints.getVisitorsNow, { signal }), []);
  useRefresh(refresh, REFRESH_MS);
  return value;
}
