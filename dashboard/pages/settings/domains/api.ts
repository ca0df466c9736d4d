import type { Done } from '../../../../contract/fields.ts';
import type { Domain, DomainList } from '../../../../contract/pages/domains/domains.ts';
import { api } from '../../../api.ts';

/** The endpoints of a page's domains. */

export type { Domain };

const pathOf = (pageId: number, domain?: string) =>
  `/api/pages/${pageId}/domains${domain === undefined ? '' : `/${encodeURIComponent(domain)}`}`;

export const listDomains = async (pageId: number, signal?: AbortSignal): Promise<Domain[]> =>
  (await api.get<DomainList>(pathOf(pageId), signal && { signal })).domains;

export const addDomain = (pageId: number, domain: string) => api.post<Domain>(pathOf(pageId), { domain });

export const verifyDomain = (pageId: number, domain: string) =>
  api.post<Domain>(`${pathOf(pageId, domain)}/verify`);

export const removeDomain = (pageId: number, domain: string) => api.delete<Done>(pathOf(pageId, domain));
