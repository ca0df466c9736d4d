import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { SQL } from 'bun';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { descendants } from '../../support/faults/process.ts';
import { waitUntil } from '../../support/server.ts';

/** A query that reads every record of a large collection, and does not finish in time. */

const RECORDS = 100;

let quire: TestApp;
let owner: TestUser;
let page: PublishedPage;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  page = await owner.publish({ storage_mode: 'social_app' });
  const data = { title: 'x'.repeat(5_000) };
  const operations = Array.from({ length: RECORDS }, () => ({ op: 'create', data }));
  await owner.call('POST', `/api/pages/${page.id}/social-data/notes/batch`, { body: { operations } });
}, 60_000);
afterAll(() => quire.stop());

const ask = (query: string) => owner.call('GET', `/api/pages/${page.id}/social-data/notes${query}`);
const WHERE = `where=${encodeURIComponent('{"title":{"contains":"y"}}')}`;

/** Lets the query run into its time limit, in the way of the engine. */
async function runTooLong(query: string) {
  const { databaseUrl } = quire;
  return databaseUrl === undefined ? freezeReader(query) : cancelQuery(query, databaseUrl);
}

async function freezeReader(query: string) {
  // Starts a reader, if none is running.
  expect((await ask(query)).status).toBe(200);
  const readers = descendants(process.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reader.process'),
  );
  expect(readers).toHaveLength(1);
  for (const pid of readers) process.kill(pid, 'SIGSTOP');
  return ask(query);
}

/** PostgreSQL ends a query with the same error when its time is over, and when it is cancelled. */
async function cancelQuery(query: string, databaseUrl: string) {
  const [holder, other] = [new SQL(databaseUrl, { max: 1 }), new SQL(databaseUrl, { max: 1 })];
  try {
    const asked = await holder.begin(async (tx) => {
      await tx`lock table records in access exclusive mode`;
      const answer = ask(query);
      await waitUntil(async () => {
        const cancelled = await other`select pg_cancel_backend(pid) as is_done from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database() and query ilike '%from "records"%'`;
        return cancelled.some(({ is_done }: { is_done: boolean }) => is_done);
      });
      return { answer };
    });
    return await asked.answer;
  } finally {
    await Promise.all([holder.end(), other.end()]);
  }
}

test.each([
  ['a list with where', `?${WHERE}`],
  ['a count of groups', '/count?groupBy=kind'],
])(
  '%s says what helps, and not to try again',
  async (_, query) => {
    const { status, headers, body } = await runTooLong(query);
    expect({ status, body }).toMatchObject({
      status: 503,
      body: {
        code: 'UNAVAILABLE',
        error: expect.stringMatching(
          /^This query has to read all 100 records of the collection, which takes too long\. Trying again does not help\. Add the fields that you filter or order by to indexes/,
        ),
      },
    });
    expect(headers.get('retry-after')).toBeNull();
    // Others are not affected, and neither is the next query.
    expect((await ask('?orderBy=created_at')).status).toBe(200);
    expect((await ask(query)).status).toBe(200);
  },
  60_000,
);
