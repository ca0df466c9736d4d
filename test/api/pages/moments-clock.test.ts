import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { type FilesApp, filesApp } from '../../support/pages/files.ts';

/** Moments while the clock is wrong: what came after a moment must never count as before it, nor the other way round. */

const JUMP_MS = 20 * 60_000;

let app: FilesApp;
let owner: TestUser;
beforeAll(async () => {
  app = await filesApp();
  owner = app.owner;
});
afterAll(() => app.quire.stop());

async function ok(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, body && { body });
  expect([answer.status < 300, answer.body]).toEqual([true, expect.anything()]);
  return answer.body;
}

async function makeBoard() {
  const { id } = await owner.publish({ name: 'Board', storage_mode: 'team_app' });
  const path = `/api/pages/${id}/team-data/notes`;
  return {
    add: async (text: string): Promise<string> => (await ok('POST', path, { data: { text } })).id,
    change: (record: string, text: string) => ok('PATCH', `${path}/${record}`, { data: { text } }),
    remove: (record: string) => ok('DELETE', `${path}/${record}`),
    describe: (field: string) =>
      ok('PUT', `${path}/schema`, { schema: { fields: { [field]: { type: 'string' } } } }),
    read: async () => {
      const { records } = await ok('GET', path);
      const { status, body } = await owner.call('GET', `${path}/schema`);
      return {
        texts: records.map(({ data }: { data: { text: string } }) => data.text).sort(),
        fields: status === 404 ? [] : Object.keys(body.schema.fields),
      };
    },
    keep: async (name: string): Promise<string> =>
      (await ok('POST', `/api/pages/${id}/moments`, { name })).at,
    restore: (at: string) => ok('POST', `/api/pages/${id}/restore`, { at }),
  };
}

test('changes after the clock was set back come after the moments before it', async () => {
  const board = await makeBoard();
  const [changed, gone] = [await board.add('one'), await board.add('two')];
  await board.describe('text');
  const before = await board.read();
  const first = await board.keep('Before the jump');
  app.quire.advance(-JUMP_MS);
  await board.add('three');
  await board.change(changed, 'ONE');
  await board.remove(gone);
  await board.describe('title');
  const later = await board.read();
  const second = await board.keep('After the jump');
  expect(second > first).toBe(true);
  await board.add('four');

  const { changes } = await board.restore(first);
  expect(changes).toMatchObject({ created: 1, updated: 1, deleted: 2 });
  expect(await board.read()).toEqual(before);
  await board.restore(second);
  expect(await board.read()).toEqual(later);
  app.quire.advance(JUMP_MS);
});

test('a moment has what was stored before the clock was set back', async () => {
  const board = await makeBoard();
  await board.change(await board.add('one'), 'ONE');
  await board.add('two');
  await board.describe('text');
  const before = await board.read();
  app.quire.advance(-JUMP_MS);
  const at = await board.keep('After the jump');
  await board.add('three');
  await board.restore(at);
  expect(await board.read()).toEqual(before);
  app.quire.advance(JUMP_MS);
});

test('goes on when the clock has caught up, and after it was ahead', async () => {
  const board = await makeBoard();
  app.quire.advance(JUMP_MS);
  await board.add('ahead');
  const ahead = await board.keep('Ahead');
  const then = await board.read();
  app.quire.advance(-JUMP_MS);
  await board.add('right');
  app.quire.advance(2 * JUMP_MS);
  await board.add('later');
  const { undo } = await board.restore(ahead);
  expect(await board.read()).toEqual(then);
  await board.restore(undo);
  expect((await board.read()).texts).toEqual(['ahead', 'later', 'right']);
  app.quire.advance(-JUMP_MS);
});
