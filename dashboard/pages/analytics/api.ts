import type { PageAnalytics, PageErrorList, Range } from '../../../contract/analytics/analytics.ts';
import { api } from '../../api.ts';

/** The endpoints that the analytics of a page use. */

export type { PageAnalytics, PageError, Range } from '../../../contract/analytics/analytics.ts';

const errorsPath = (pageId: number) => `/api/pages/${pageId}/errors`;

export const readAnalytics = (pageId: number, range: Range, signal: AbortSignal) =>
  api.get<PageAnalytics>(`/api/pages/${pageId}/analytics?range=${range}`, { signal });

export const readErrors = async (pageId: number, signal: AbortSignal) =>
  (await api.get<PageErrorList>(errorsPath(pageId), { signal })).errors;

export const resolveError = (pageId: number, fingerprint: string) =>
  api.delete<void>(`${errorsPath(pageId)}/${fingerprint}`);

export const resolveAllErrors = (pageId: number) => api.delete<void>(errorsPath(pageId));
