import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { runRequest } from '../traces/current.ts';
import { Span, Trace } from '../traces/span.ts';
import { type Storage, startStorage } from './index.ts';

let folder: string;
let storage: Storage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-group-commit-'));
  storage = await startStorage({ dataFolder: folder });
  await sql`create table notes (text text not null unique)`.execute(storage.db);
});
afterAll(async () => {
  await storage.stop();
  rmSync(folder, { recursive: true });
});

const add = (text: string | null) =>
  storage.commit.run((tx) => sql`insert into notes values (${text})`.execute(tx));

async function notes(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`select text from notes order by rowid`.execute(storage.db);
  return rows.map(({ text }) => text);
}

test('writes that arrive together are committed in the order of their arrival', async () => {
  await Promise.all(['b', 'a', 'c'].map(add));
  expect(await notes()).toEqual(['b', 'a', 'c']);
});

test('a write that fails does not affect those that arrive with it, and leaves nothing behind', async () => {
  const results = await Promise.allSettled(['d', null, 'a', 'e'].map(add));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(await notes()).toEqual(['b', 'a', 'c', 'd', 'e']);
});

test('items with the same key are done in one call, each with its own result', async () => {
  const calls: string[][] = [];
  const addAll = (text: string) =>
    storage.commit.runBatched('notes', text, async (tx, texts) => {
      calls.push(texts);
      for (const each of texts) await sql`insert into notes values (${each})`.execute(tx);
      return texts.map((each) => `added ${each}`);
    });
  const results = await Promise.all([addAll('f'), add('g'), addAll('h')]);
  expect(calls).toEqual([['f', 'h']]);
  expect([results[0], results[2]]).toEqual(['added f', 'added h']);
  expect((await notes()).slice(-3)).toEqual(['f', 'h', 'g']);
});

test('an item that fails does not affect others with the same key', async () => {
  const addAll = (text: string) =>
    storage.commit.runBatched('notes', text, async (tx, texts) => {
      for (const each of texts) await sql`insert into notes values (${each})`.execute(tx);
      return texts;
    });
  const results = await Promise.allSettled(['i', 'a', 'j'].map(addAll));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await notes()).slice(-2)).toEqual(['i', 'j']);
});

test('with alone, items with the same key share a transaction with no others', async () => {
  const calls: Array<[transaction: unknown, texts: string[]]> = [];
  const addAlone = (key: string | undefined, text: string) =>
    storage.commit.runBatched(
      key,
      text,
      async (tx, texts) => {
        calls.push([tx, texts]);
        for (const each of texts) await sql`insert into notes values (${each})`.execute(tx);
        return texts;
      },
      { alone: true },
    );
  const texts = ['k', 'l', 'm', 'n', 'o', 'a', 'p'].map((text) => `alone ${text}`);
  await add('alone a');
  const keys = ['one', 'two', undefined, 'one', undefined, 'two', 'two'];
  const before = (await notes()).length;
  const adding = texts.map((text, at) => addAlone(keys[at], text));
  const [results] = await Promise.all([Promise.allSettled(adding), add('alone q')]);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
    ...[true, true, true, true, true, false, true],
  ]);
  expect(calls.map(([, each]) => each.map((text) => text.slice(6)).join(''))).toEqual([
    ...['kn', 'lap', 'l', 'a', 'p', 'm', 'o'],
  ]);
  expect(new Set(calls.map(([tx]) => tx)).size).toBe(calls.length);
  expect((await notes()).slice(before)).toEqual(['k', 'n', 'l', 'p', 'm', 'o', 'q'].map((t) => `alone ${t}`));
});

test('writes of traced requests that share a transaction each belong to their own trace', async () => {
  const traced = await startStorage({ dataFolder: folder, traces: {} });
  const spans: Span[] = [];
  const sink = { add: (span: Span) => void spans.push(span), drop: () => undefined, later: () => undefined };
  const statement = 'select count(*) from "notes"';
  const write = () => traced.commit.run((tx) => sql.raw(statement).execute(tx));
  const request = (name: string) =>
    runRequest(new Span(new Trace(sink), undefined, name), async () => {
      await write();
      return new Response();
    });
  await Promise.all([request('one'), write(), request('two')]);
  const roots = spans.filter(({ parent }) => !parent);
  expect(roots.map(({ name }) => name)).toEqual(['one', 'two']);
  for (const { trace, id } of roots) {
    const inside = spans.filter((span) => span.trace === trace && span.parent);
    expect(inside.map(({ name, parent }) => [name, parent?.id])).toEqual([['SQL SELECT notes', id]]);
  }
  await traced.stop();
});
