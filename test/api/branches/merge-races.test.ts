import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import type { BranchChanges } from '../../../contract/pages/branches/changes.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { readSql } from '../../support/engines/storage.ts';
import { form } from '../../support/pages/files.ts';

/** Merges while somebody publishes, and with a conflict in every file. */

const LONG_MS = 120_000;

let app: BranchApp;
let gate: ReturnType<typeof openGate>;
beforeAll(async () => {
  gate = openGate();
  app = await branchApp({ QUIRE_DEPLOYS_PER_HOUR: '0', QUIRE_CHROMIUM: 'off' });
});
afterAll(async () => {
  await app.quire.stop();
  gate.stop();
});

/** A server that a function waits for. */
function openGate() {
  let arrived = Promise.withResolvers<void>();
  let released = Promise.withResolvers<void>();
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
    async fetch() {
      arrived.resolve();
      await released.promise;
      return new Response('go');
    },
  });
  return {
    url: server.url.href,
    arrived: () => arrived.promise,
    release() {
      released.resolve();
      [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    },
    stop: () => server.stop(true),
  };
}

async function ask(method: string, path: string, body?: object) {
  const answer = await app.owner.call(method, path, body && { body });
  expect([path, answer.status < 300, answer.body?.error]).toEqual([path, true, undefined]);
  return answer.body;
}
const readHtml = async (id: number) => (await ask('GET', `/api/pages/${id}`)).page.html_content;
const html = (heading: string, last = 'Salad') => `<h1>${heading}</h1>\n<p>Soup\n<p>Bread\n<p>${last}\n`;
const setHtml = (id: number, html_content: string) => ask('PATCH', `/api/pages/${id}`, { html_content });
const toFile = (id: number, path: string) => `/api/pages/${id}/files/${path}`;
async function readFile(id: number, path: string): Promise<string | number> {
  const headers = { authorization: `Bearer ${app.owner.token}` };
  const response = await app.quire.request(toFile(id, path), { headers });
  return response.status === 200 ? response.text() : response.status;
}
async function upload(id: number, files: Record<string, string>) {
  const headers = { authorization: `Bearer ${app.owner.token}` };
  const init = { method: 'PUT', headers, body: form(files) };
  expect((await app.quire.request(`/api/pages/${id}/files`, init)).status).toBe(200);
}

interface Given {
  id: number;
  branch: Branch;
  path: string;
  merge(body?: object): ReturnType<BranchApp['owner']['call']>;
}

/** A page whose function waits at the gate if it is told to, with a branch that has another heading. */
async function stage(): Promise<Given & { slug: string }> {
  const slug = await app.deploy(
    handler(`const { wait } = await request.json().catch(() => ({}));
      return Response.json({ went: wait ? await (await fetch('${gate.url}')).text() : 'by' });`),
  );
  const page = await app.owner.publish({ name: 'Menu', html_content: html('Menu'), functions: [slug] });
  const branch = await app.branch(page.id, 'try');
  await setHtml(branch.page.id, html('Menu of the branch'));
  const path = `/api/pages/${page.id}/branches/try`;
  const merge = (body: object = {}) => app.owner.call('POST', `${path}/merge`, { body });
  return { id: page.id, branch, path, merge, slug };
}

/**
 * Does something between the rehearsal of a merge and its first step on the page: a merge first waits for calls that run.
 * Returns what the merge answers.
 */
async function mergeWhile(
  { id, slug, merge }: Awaited<ReturnType<typeof stage>>,
  body: object,
  act: () => Promise<unknown>,
) {
  const calling = app.callFrom(id, slug, { wait: true });
  await gate.arrived();
  const merging = merge(body);
  const begun = `select step, undo_at from restores where page_id = ${id} and finished_at is null`;
  let rows: Array<{ undo_at: number | null }> = [];
  while (rows.length === 0) {
    await new Promise(setImmediate);
    rows = await readSql(app.quire, begun);
  }
  // The rehearsal is over, and the moment to come back to is not kept yet.
  expect(rows).toMatchObject([{ undo_at: null }]);
  await act();
  gate.release();
  expect((await calling).body).toEqual({ went: 'go' });
  return merging;
}

test(
  'what somebody publishes after the rehearsal is merged too, and undo comes back to it',
  async () => {
    const given = await stage();
    const { status, body } = await mergeWhile(given, {}, () => setHtml(given.id, html('Menu', 'Cake')));
    expect([status, body.error]).toEqual([200, undefined]);
    expect(await readHtml(given.id)).toBe(html('Menu of the branch', 'Cake'));
    await ask('POST', `/api/pages/${given.id}/restore`, { at: body.undo });
    expect(await readHtml(given.id)).toBe(html('Menu', 'Cake'));
  },
  LONG_MS,
);

test(
  'what somebody publishes after the rehearsal and conflicts is kept, and the merge is refused',
  async () => {
    const given = await stage();
    const published = html('Menu of the week');
    const refused = await mergeWhile(given, {}, () => setHtml(given.id, published));
    expect([refused.status, refused.body.code, refused.body.conflict_count]).toEqual([409, 'CONFLICT', 1]);
    expect(refused.body.conflicts).toMatchObject([{ path: 'files/index.html', conflict: true }]);
    expect(await readHtml(given.id)).toBe(published);
    // Nothing of the merge is left: the page can be called and merged.
    expect((await app.callFrom(given.id, given.slug)).body).toEqual({ went: 'by' });
    const take = [{ path: 'files/index.html', from: 'branch' }];
    const merged = await given.merge({ take });
    expect([merged.status, await readHtml(given.id)]).toEqual([200, html('Menu of the branch')]);
    await ask('POST', `/api/pages/${given.id}/restore`, { at: merged.body.undo });
    expect(await readHtml(given.id)).toBe(published);
  },
  LONG_MS,
);

test(
  'a decision does not replace what somebody publishes after it',
  async () => {
    const given = await stage();
    await setHtml(given.id, html('Menu of the week'));
    const take = [{ path: 'files', from: 'branch' }];
    const refused = await mergeWhile(given, { take }, async () => {
      await setHtml(given.id, html('Menu of today'));
      // Only the branch had changed this, when it was decided.
      await upload(given.id, { 'new.txt': 'from the page' });
    });
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'Somebody has changed files/index.html meanwhile, so nothing was merged. Look at the changes, and decide again.',
    ]);
    expect(refused.body).toMatchObject({ conflict_count: 1, conflicts: [{ path: 'files/index.html' }] });
    expect(await readHtml(given.id)).toBe(html('Menu of today'));
    expect((await given.merge({ take })).status).toBe(200);
    expect(await readHtml(given.id)).toBe(html('Menu of the branch'));
    expect(await readFile(given.id, 'new.txt')).toBe('from the page');
  },
  LONG_MS,
);

test(
  'everything that is published while a merge runs is there afterwards, whatever becomes of the merge',
  async () => {
    const given = await stage();
    let isOver = false;
    const merging = given.merge().finally(() => {
      isOver = true;
    });
    let published = 0;
    for (; !isOver || published < 3; published++) {
      const headers = { authorization: `Bearer ${app.owner.token}` };
      const init = { method: 'PUT', headers, body: `number ${published}` };
      const { status } = await app.quire.request(toFile(given.id, `n${published % 100}.txt`), init);
      expect(status).toBe(200);
      await new Promise(setImmediate);
    }
    const { status, body } = await merging;
    for (let number = Math.max(0, published - 100); number < published; number++)
      expect(await readFile(given.id, `n${number % 100}.txt`)).toBe(`number ${number}`);
    // With so much published, a merge may give up, with nothing changed.
    if (status !== 200) {
      expect([status, body.error]).toEqual([
        503,
        'The merge failed, and everything is as it was before. Try again later.',
      ]);
      expect(await readHtml(given.id)).toBe(html('Menu'));
      expect((await given.merge()).status).toBe(200);
    }
    expect(await readHtml(given.id)).toBe(html('Menu of the branch'));
    expect(await readFile(given.id, `n${(published - 1) % 100}.txt`)).toBe(`number ${published - 1}`);
  },
  LONG_MS,
);

test(
  'a conflict in each of 50 files and in the document is listed, decided and merged by file',
  async () => {
    const names = Array.from({ length: 50 }, (_, n) => `part-${String(n).padStart(2, '0')}.txt`);
    const files = (text: string) =>
      Object.fromEntries(names.map((name) => [name, `${name}\n${text}\nend\n`]));
    const page = await app.owner.publish({ name: 'Parts', html_content: html('Parts') });
    await upload(page.id, files('base'));
    const branch = await app.branch(page.id, 'parts');
    const path = `/api/pages/${page.id}/branches/parts`;
    for (const [id, text] of [
      [branch.page.id, 'branch'],
      [page.id, 'main'],
    ] as const) {
      await upload(id, files(text));
      await setHtml(id, html(text));
    }
    const wanted = ['files/index.html', ...names.map((name) => `files/${name}`)];
    const found: string[] = [];
    for (let after = ''; found.length < 51; ) {
      const query = `?side=conflicts&limit=20${after && `&after=${encodeURIComponent(after)}`}`;
      const part: BranchChanges = await ask('GET', `${path}/changes${query}`);
      expect(part.conflicts).toBe(51);
      found.push(...part.changes.map((each) => each.path));
      if (part.next === null) break;
      after = part.next;
    }
    expect(found).toEqual(wanted);

    const send = (take: object[]) => app.owner.call('POST', `${path}/merge`, { body: { take } });
    const decide = (count: number) =>
      wanted.slice(0, count).map((each, at) => ({ path: each, from: at % 2 === 0 ? 'branch' : 'main' }));
    for (const [decided, left] of [
      [0, 51],
      [50, 1],
    ] as const) {
      const refused = await send(decide(decided));
      expect([refused.status, refused.body.conflict_count]).toEqual([409, left]);
      expect(refused.body.conflicts).toHaveLength(Math.min(left, 50));
      expect(await readFile(page.id, names[0] ?? '')).toBe(files('main')[names[0] ?? ''] ?? '');
    }
    const merged = await send(decide(51));
    expect([merged.status, merged.body.error]).toEqual([200, undefined]);
    const expected = (at: number) => (at % 2 === 0 ? 'branch' : 'main');
    expect(await readHtml(page.id)).toBe(html(expected(0)));
    for (const [at, name] of names.entries())
      expect(await readFile(page.id, name)).toBe(files(expected(at + 1))[name] ?? '');
    await ask('POST', `/api/pages/${page.id}/restore`, { at: merged.body.undo });
    for (const name of names) expect(await readFile(page.id, name)).toBe(files('main')[name] ?? '');
  },
  LONG_MS,
);
