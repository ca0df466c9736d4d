import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ATTACKS_PER_DAY, type AttackReport } from '../../../contract/attack/attack.ts';
import { publishSample } from '../../attack/publish-sample.ts';
import { collectionSamples } from '../../attack/samples/collections.ts';
import { functionSamples } from '../../attack/samples/functions.ts';
import type { Sample } from '../../attack/samples/sample.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

const find = (name: string): Sample => {
  const found = [...collectionSamples, ...functionSamples].find((sample) => sample.name === name);
  if (!found) throw new Error(`there is no sample ${name}`);
  return found;
};

let count = 1000;
async function attack(
  name: string,
  owner?: TestUser,
): Promise<{ id: number; owner: TestUser; report: AttackReport }> {
  const index = count++;
  const user = owner ?? (await quire.user(`owner${index}`));
  const id = await publishSample(quire, user, find(name), index);
  const { status, body } = await user.call('POST', `/api/pages/${id}/attack`);
  expect([status, body.error]).toEqual([200, undefined]);
  return { id, owner: user, report: body };
}

describe('an attack', () => {
  test.each([
    'shop, open',
    'forum, open rules',
    'search, put together',
    'bookmarks, of anyone',
    'key of OpenAI',
  ])('finds the hole of the sample %s, with the request that proves it', async (name) => {
    const { report } = await attack(name);
    expect(new Set(report.findings.map(({ kind }) => kind))).toEqual(new Set(find(name).holes));
    for (const { request, response, why, fix } of report.findings)
      for (const part of [request, response, why, fix]) expect(part).not.toBe('');
  });

  test.each([
    'shop, by rules',
    'search, bound',
    'bookmarks, of the person',
    'shared shopping list, everyone edits on purpose',
  ])('finds nothing in the sample %s', async (name) => {
    expect((await attack(name)).report.findings.filter(({ severity }) => severity !== 'question')).toEqual(
      [],
    );
  });

  test('touches neither the page nor its data, and leaves nothing behind', async () => {
    const { id, owner } = await attack('secret notes, by any id');
    const { pages } = (await owner.call('GET', '/api/pages')).body;
    expect(pages.map((page: { id: number }) => page.id)).toEqual([id]);
    const { functions } = (await owner.call('GET', '/api/functions?mine=true')).body;
    expect(functions).toHaveLength(1);
    const [{ slug }] = functions;
    const sql = "SELECT name FROM sqlite_master WHERE name = 'rows'";
    const read = await owner.call('POST', `/api/functions/${slug}/database`, { body: { sql } });
    expect(read.body).toMatchObject({ results: [] });
    const { page, versionCount } = (await owner.call('GET', `/api/pages/${id}`)).body;
    expect([versionCount, page.is_unlisted]).toEqual([1, false]);
  });

  test('keeps no moment of a page that has not changed, and of a changed one as if nobody had attacked it', async () => {
    const owner = await quire.user('moments');
    const id = await publishSample(quire, owner, find('secret notes, by any id'), count++);
    const list = async () => (await owner.call('GET', `/api/pages/${id}/moments`)).body.moments;
    await owner.call('POST', `/api/pages/${id}/moments`, { body: { name: 'Before' } });
    const before = await list();
    for (let tries = 0; tries < 2; tries++) {
      const { status } = await owner.call('POST', `/api/pages/${id}/attack`);
      expect([status, await list()]).toEqual([200, before]);
    }
    await owner.call('PATCH', `/api/pages/${id}`, { body: { description: 'Changed' } });
    const { body } = await owner.call('POST', `/api/pages/${id}/attack`);
    expect(body.findings).toMatchObject([{ kind: 'function-reads' }]);
    const [added, ...earlier] = await list();
    expect(earlier).toEqual(before);
    expect(added.causes.map(({ kind }: { kind: string }) => kind)).toEqual(['settings']);
  });

  test('attacks a branch as it is, and leaves both pages as they were', async () => {
    const { id, owner } = await attack('shop, by rules');
    const made = await owner.call('POST', `/api/pages/${id}/branches`, {
      body: { name: 'open', data: 'schema' },
    });
    expect(made.status).toBe(201);
    const branch = made.body.page.id;
    const rules = { read: 'user', update: 'owner', delete: 'owner' };
    const path = `/api/pages/${branch}/social-data/orders/schema`;
    expect((await owner.call('PUT', path, { body: { schema: { rules } } })).status).toBe(200);
    const { findings } = (await owner.call('POST', `/api/pages/${branch}/attack`)).body as AttackReport;
    expect(findings.map(({ kind }) => kind)).toEqual(['personal-data']);
    const after = (await owner.call('POST', `/api/pages/${id}/attack`)).body as AttackReport;
    expect(after.findings).toEqual([]);
    const meant = `/api/pages/${branch}/attack/meant/${findings[0]?.key}`;
    for (const [method, expected] of [
      ['PUT', owner.username],
      ['DELETE', undefined],
    ] as const) {
      expect((await owner.call(method, meant)).status).toBe(200);
      const again = (await owner.call('POST', `/api/pages/${branch}/attack`)).body as AttackReport;
      expect(again.findings.map((each) => each.meant?.by)).toEqual([expected]);
    }
    const { branches } = (await owner.call('GET', `/api/pages/${id}/branches`)).body;
    expect(branches.map((each: { name: string }) => each.name)).toEqual(['open']);
  });

  test('says in a matrix what each can do', async () => {
    const { report } = await attack('team contacts');
    expect(report.matrix).toContainEqual({
      what: 'read contacts',
      nobody: 'no',
      stranger: 'no',
      member: 'yes',
    });
    expect(report.matrix).toContainEqual({
      what: 'delete contacts',
      nobody: 'no',
      stranger: 'no',
      member: 'no',
    });
  });

  test('ends on a page that attacks back, whose function never ends its answer', async () => {
    const owner = await quire.user('hostile');
    const slug = 'endless';
    const code = `export default { fetch: () => new Response(new ReadableStream({ pull(c) { c.enqueue(new TextEncoder().encode('x'.repeat(65536))); } })) };`;
    await owner.call('POST', '/api/functions', { body: { slug, code } });
    const script = `for (let i = 0; i < 200; i++) PageFunctions.call('${slug}', { text, email, id, name });
      addEventListener('beforeunload', (event) => event.preventDefault());
      const save = document.body.appendChild(Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(['x'.repeat(1e6)])), download: 'x' }));
      document.body.insertAdjacentHTML('beforeend', '<form method="post" action="/x"><input name="a"></form><iframe src="?again"></iframe>');
      setInterval(() => {
        window.open('?popup'); save.click(); document.forms[0]?.submit(); location.href = '/download'; location.reload();
        document.body.append(document.forms[0].cloneNode(true)); SocialData.create('a', { text: 'more' });
        console.error('ran qa' + Math.random().toString(16).slice(2)); new Worker('data:,for(;;);');
      }, 0);
      if (!location.search) while (true) alert(confirm(prompt('1')));`;
    const { id } = await owner.publish({
      name: 'Hostile',
      html_content: `<!doctype html><title>x</title><script>SocialData.create('a', { text }); SocialData.create('a', { text: data });</script><body><script>${script}</script>`,
      storage_mode: 'social_app',
    });
    const { status, body } = await owner.call('POST', `/api/pages/${id}/attack`);
    expect(status).toBe(200);
    // What the page itself prints proves nothing.
    expect(body.findings.filter(({ kind }: { kind: string }) => kind === 'stored-script')).toEqual([]);
    const { pages } = (await owner.call('GET', '/api/pages')).body;
    expect(pages.map((page: { id: number }) => page.id)).toEqual([id]);
    expect((await owner.call('GET', '/api/functions?mine=true')).body.functions).toHaveLength(1);
  }, 120_000);

  test('is for the owner only, and a protected page can be attacked by an agent', async () => {
    const { id, owner } = await attack('shop, by rules');
    const stranger = await quire.user('stranger');
    expect((await stranger.call('POST', `/api/pages/${id}/attack`)).status).toBe(403);
    expect((await quire.call('POST', `/api/pages/${id}/attack`)).status).toBe(401);
    await owner.call('PATCH', `/api/pages/${id}`, { body: { protected: true } });
    const asked = { name: 'agent', scopes: ['pages:write'], branches_only: true };
    const { token } = (await owner.call('POST', '/api/auth/tokens', { body: asked })).body;
    expect((await quire.call('POST', `/api/pages/${id}/attack`, { token })).status).toBe(200);
  });

  test('keeps who said that a finding is meant so, and takes it from no program', async () => {
    const { id, owner, report } = await attack('password in the script');
    const [{ key, meant } = { key: '', meant: null }] = report.findings;
    expect(meant).toBe(null);
    const path = `/api/pages/${id}/attack/meant/${key}`;
    const asked = { name: 'agent', scopes: ['pages:write'] };
    const { token } = (await owner.call('POST', '/api/auth/tokens', { body: asked })).body;
    expect((await quire.call('PUT', path, { token })).status).toBe(403);
    const stranger = await quire.user('another');
    expect((await stranger.call('PUT', path)).status).toBe(403);
    expect((await owner.call('PUT', path)).status).toBe(200);
    const again = (await owner.call('POST', `/api/pages/${id}/attack`)).body as AttackReport;
    expect(again.findings[0]?.meant).toMatchObject({ by: owner.username });
    expect((await owner.call('DELETE', path)).status).toBe(200);
    const last = (await owner.call('POST', `/api/pages/${id}/attack`)).body as AttackReport;
    expect(last.findings[0]?.meant).toBe(null);
  });

  test('can be repeated up to the limit of a day', async () => {
    const owner = await quire.user('often');
    const { id } = await owner.publish({ name: 'Often', html_content: '<h1>x</h1>' });
    const again = () => owner.call('POST', `/api/pages/${id}/attack`);
    for (let at = 0; at < ATTACKS_PER_DAY; at++) expect((await again()).status).toBe(200);
    expect((await again()).body.code).toBe('RATE_LIMITED');
  }, 120_000);
});
