import { expect } from 'bun:test';
import type { TestUser } from '../app.ts';
import { waitUntil } from '../server.ts';
import { type DataPage, type Mode, publishApp } from './data.ts';

/** Collections that are searched. */

const TEXT = { type: 'string' };
export const SEARCHED = { fields: { title: TEXT, note: TEXT }, search: ['title'] };

/** Whether the search of a collection is built. */
export async function isBuilt(owner: TestUser, address: string): Promise<boolean> {
  const { status, body } = await owner.call('GET', `${address}/schema`);
  return status === 200 && body.search?.state === 'ready';
}

/** Sets a schema with a search, and waits until it is built. */
export async function setSearch(owner: TestUser, address: string, schema: object = SEARCHED): Promise<void> {
  expect((await owner.call('PUT', `${address}/schema`, { body: { schema } })).status).toBe(200);
  await waitUntil(() => isBuilt(owner, address));
}

/** Publishes a page with the collection `notes`, and returns the address of that. */
export async function publishSearched(
  owner: TestUser,
  mode: Mode,
  schema: object = SEARCHED,
): Promise<{ page: DataPage; notes: string }> {
  const page = await publishApp(owner, mode);
  const notes = `${page.address}/notes`;
  await setSearch(owner, notes, schema);
  return { page, notes };
}

export const ask = (user: TestUser, address: string, query: Record<string, string>) =>
  user.call('GET', `${address}?${new URLSearchParams(query)}`);

/** The titles that a search finds, in the order of letters. Fails if a count says something else. */
export async function findTitles(user: TestUser, address: string, q: string): Promise<string[]> {
  const { status, body } = await ask(user, address, { q, limit: '100' });
  expect([q, status]).toEqual([q, 200]);
  const counted = await ask(user, `${address}/count`, { q });
  expect([q, counted.body]).toEqual([q, { count: body.total }]);
  expect(body.records).toHaveLength(body.total);
  return body.records.map(({ data }: { data: { title: string } }) => data.title).sort();
}
