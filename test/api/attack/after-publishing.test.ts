import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MAX_BACKGROUND_ATTACKS } from '../../../contract/attack/attack.ts';
import type { TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';

/** Attacks that begin by themselves, some time after a draft was published or a branch merged. */

let app: BranchApp;
beforeAll(async () => {
  app = await branchApp();
});
afterAll(() => app.quire.stop());

const SAFE = '<!doctype html><title>Shop</title><h1>Shop</h1>';
const SERIOUS = `${SAFE}<script>const key = 'sk-proj-${'a1B2c3D4'.repeat(6)}';</script>`;
/** Of the wait. */
const FIFTH_MS = 12_000;

/** An owner of their own, because the attacks of a day are counted by owner. */
async function visit(name: string) {
  const user: TestUser = await app.quire.user(name);
  const ok = async (method: string, path: string, body?: object) => {
    const answer = await user.call(method, path, body && { body });
    expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
    return answer.body;
  };
  const readLast = async (id: number) => (await ok('GET', `/api/pages/${id}/attack`)).attack;
  return {
    ok,
    readLast,
    exposed: async () => (await ok('GET', '/api/home')).exposedPages,
    make: async (fields: object = {}): Promise<number> =>
      (await user.publish({ name: 'Shop', html_content: SAFE, ...fields })).id,
    async publishDraft(id: number, html_content: string) {
      const { draft } = await ok('POST', `/api/pages/${id}/drafts`, { html_content });
      await ok('POST', `/api/pages/${id}/drafts/${draft.id}/publish`, {});
    },
    /** Waits until the version that is published is attacked. */
    async untilAttacked(id: number) {
      const { versionCount } = await ok('GET', `/api/pages/${id}`);
      for (;;) {
        const attack = await readLast(id);
        if (attack?.version === versionCount) return attack;
        await new Promise(setImmediate);
      }
    },
  };
}

test('a published draft with a hole is attacked after a minute, and Home says so', async () => {
  const { make, publishDraft, untilAttacked, readLast, exposed } = await visit('waits');
  const id = await make();
  await publishDraft(id, SERIOUS);
  app.quire.advance(3 * FIFTH_MS);
  expect([await readLast(id), await exposed()]).toEqual([null, []]);
  app.quire.advance(2 * FIFTH_MS);
  expect(await untilAttacked(id)).toMatchObject({ version: 2, findings: [{ kind: 'secret-in-page' }] });
  expect(await exposed()).toEqual([{ id, name: 'Shop', findings: 1 }]);

  await publishDraft(id, SAFE);
  expect(await exposed()).toEqual([]);
  app.quire.advance(5 * FIFTH_MS);
  expect(await untilAttacked(id)).toMatchObject({ version: 3, findings: [] });
  expect(await exposed()).toEqual([]);
}, 60_000);

test('a merged branch is attacked like a draft', async () => {
  const { ok, make, untilAttacked } = await visit('merges');
  const id = await make();
  const { page } = await ok('POST', `/api/pages/${id}/branches`, { name: 'try', data: 'schema' });
  await ok('PATCH', `/api/pages/${page.id}`, { html_content: SERIOUS });
  await ok('POST', `/api/pages/${id}/branches/try/merge`, {});
  app.quire.advance(5 * FIFTH_MS);
  expect(await untilAttacked(id)).toMatchObject({ findings: [{ kind: 'secret-in-page' }] });
}, 60_000);

test('publishing again starts the wait over, and the page is attacked once', async () => {
  const { make, publishDraft, untilAttacked, readLast } = await visit('again');
  const [id, other, third] = [await make(), await make(), await make()];
  await publishDraft(id, SERIOUS);
  app.quire.advance(3 * FIFTH_MS);
  await publishDraft(other, SAFE);
  await publishDraft(id, SAFE);
  app.quire.advance(3 * FIFTH_MS);
  await publishDraft(id, SERIOUS);
  app.quire.advance(2 * FIFTH_MS);
  // Pages of one owner are attacked in the order in which they were published first.
  await untilAttacked(other);
  expect(await readLast(id)).toBeNull();
  app.quire.advance(3 * FIFTH_MS);
  const attack = await untilAttacked(id);
  expect(attack).toMatchObject({ version: 4, findings: [{ kind: 'secret-in-page' }] });

  await publishDraft(third, SAFE);
  app.quire.advance(10 * FIFTH_MS);
  await untilAttacked(third);
  expect(await readLast(id)).toEqual(attack);
}, 60_000);

test('nothing is attacked that was unpublished or deleted meanwhile, is a branch or is attacked before it is published', async () => {
  const { ok, make, publishDraft, untilAttacked, readLast } = await visit('gone');
  const [hidden, deleted, first, main] = [await make(), await make(), await make(), await make()];
  const { page: branch } = await ok('POST', `/api/pages/${main}/branches`, { name: 'try', data: 'schema' });
  await ok('PATCH', `/api/pages/${first}`, { attack_first: true });
  for (const id of [hidden, deleted]) await publishDraft(id, SERIOUS);
  for (const id of [first, branch.id]) await publishDraft(id, SAFE);
  await ok('PATCH', `/api/pages/${hidden}`, { is_published: false });
  await ok('DELETE', `/api/pages/${deleted}`);
  const last = await make();
  await publishDraft(last, SAFE);
  app.quire.advance(5 * FIFTH_MS);
  await untilAttacked(last);
  for (const id of [hidden, first, main, branch.id]) expect([id, await readLast(id)]).toEqual([id, null]);
  const failed = app.quire.logs.filter((line) => line.includes('a published draft could not be attacked'));
  expect(failed).toEqual([]);
}, 60_000);

test('only so many pages of an owner are attacked in a day', async () => {
  const { make, publishDraft, untilAttacked, readLast } = await visit('often');
  const ids: number[] = [];
  for (let count = 0; count <= MAX_BACKGROUND_ATTACKS; count++) {
    const id = await make();
    await publishDraft(id, SERIOUS);
    ids.push(id);
  }
  app.quire.advance(5 * FIFTH_MS);
  const [tooMuch = 0, ...attacked] = ids.reverse();
  for (const id of attacked) await untilAttacked(id);
  const isRefused = () =>
    app.quire.logs.some(
      (line) => line.includes('a published draft was not attacked') && JSON.parse(line).page === tooMuch,
    );
  while (!isRefused()) await new Promise(setImmediate);
  expect(await readLast(tooMuch)).toBeNull();
}, 120_000);
