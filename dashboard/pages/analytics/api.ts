import type { Range } from '../../../contract/analytics/analytics.ts';
import { analyticsEndpoints } from '../../../contract/analytics/endpoints.ts';
import { call } from '../../api.ts';

/** The endpoints that the analytics of a page use. */

export type { PageAnalytics, PageError, Range } from '../../../contract/analytics/analytics.ts';

export const readAnalytics = (id: number, range: Range, signal: AbortSignal) =>
  call(analyticsEndpoints.getPageAnalytics, { params: { id }, query: { range }, signal });

export const readErrors = async (id: number, signal: AbortSignal) =>
  (await call(analyticsEndpoints.listPageErrors, { params: { id }, signal })).errors;

export const resolveError = (id: number, fingerprint: string) =>
  call(analyticsEndpoints.resolvePageError, { params: { id, fingerprint } });

export const resolveAllErrors = (id: number) =>
  call(analyticsEndpoints.resolvePageErrors, { params: { id } });
