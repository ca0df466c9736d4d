import { expect } from 'bun:test';
import type { PublishedPage, TestResponse, TestUser } from '../app.ts';
import type { DnsServer } from './dns.ts';

/** How tests add and verify domains. */

export const addDomain = (user: TestUser, page: PublishedPage, domain: string): Promise<TestResponse> =>
  user.call('POST', `/api/pages/${page.id}/domains`, { body: { domain } });

export const verifyDomain = (user: TestUser, page: PublishedPage, domain: string): Promise<TestResponse> =>
  user.call('POST', `/api/pages/${page.id}/domains/${encodeURIComponent(domain)}/verify`);

export const listDomains = async (user: TestUser, page: PublishedPage) =>
  (await user.call('GET', `/api/pages/${page.id}/domains`)).body.domains;

/** Adds a domain, sets its record and verifies it. Returns the value of the record. */
export async function connectDomain(
  dns: DnsServer,
  user: TestUser,
  page: PublishedPage,
  domain: string,
): Promise<string> {
  const { body } = await addDomain(user, page, domain);
  const [{ name, value }] = body.dns;
  dns.set(name, { txt: [value] });
  const verified = await verifyDomain(user, page, domain);
  expect([verified.status, verified.body.status]).toEqual([200, 'verified']);
  return value;
}
