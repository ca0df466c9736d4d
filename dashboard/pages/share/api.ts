import { analyticsEndpoints } from '../../../contract/analytics/endpoints.ts';
import { call } from '../../api.ts';

/** How many people other than this one came to the page today. */
export const countOtherVisitors = async (id: number, signal: AbortSignal) =>
  (await call(analyticsEndpoints.countOtherVisitors, { params: { id }, signal })).today;
