import type { Domain } from '../../../../contract/pages/domains/domains.ts';
import { domainEndpoints } from '../../../../contract/pages/domains/endpoints.ts';
import { call } from '../../../api.ts';

/** The endpoints of a page's domains. */

export type { Domain };

export const listDomains = async (id: number, signal?: AbortSignal) =>
  (await call(domainEndpoints.listDomains, { params: { id }, signal })).domains;

export const addDomain = (id: number, domain: string) =>
  call(domainEndpoints.addDomain, { params: { id }, body: { domain } });

export const verifyDomain = (id: number, domain: string) =>
  call(domainEndpoints.verifyDomain, { params: { id, domain } });

export const removeDomain = (id: number, domain: string) =>
  call(domainEndpoints.removeDomain, { params: { id, domain } });
