import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { readSql } from '../../support/engines/storage.ts';
import { type FilesApp, filesApp, form, sha256 } from '../../support/pages/files.ts';

let app: FilesApp;
beforeAll(async () => {
  app = await filesApp();
});
afterAll(() => app.quire.stop());

/** Links that are made around a full hour differ. */
const LINK = { preview_url: expect.any(String), preview_expires_at: expect.any(String) };
const publish = (fields: object = {}) => app.owner.publish({ html_content: '<p>live</p>', ...fields });
const toPath = (page: PublishedPage, draft?: number) =>
  `/api/pages/${page.id}/drafts${draft === undefined ? '' : `/${draft}`}`;
const save = (page: PublishedPage, body: object = {}, as: TestUser = app.owner) =>
  as.call('POST', toPath(page), { body });
const makeDraft = async (page: PublishedPage, body: object = {}): Promise<number> =>
  (await save(page, body)).body.draft.id;
const patch = (page: PublishedPage, draft: number, body: object) =>
  app.owner.call('PATCH', toPath(page, draft), { body });
const publishDraft = (page: PublishedPage, draft: number, body?: object) =>
  app.owner.call('POST', `${toPath(page, draft)}/publish`, body && { body });
const remove = (page: PublishedPage, draft: number) => app.owner.call('DELETE', toPath(page, draft));
const putFile = (page: PublishedPage, draft: number, path: string, body: string | Uint8Array, query = '') =>
  app.call('PUT', `${toPath(page, draft)}/files/${path}${query}`, { body });
const served = async (page: PublishedPage) => (await app.quire.request(`/p/${page.slug}`)).text();
const versions = async (page: PublishedPage) =>
  (await app.owner.call('GET', `/api/pages/${page.id}/versions`)).body.versions;

/** What the owner is charged. */
async function usedBytes(): Promise<number> {
  const [row] = await readSql<{ bytes: number }>(
    app.quire,
    `select bytes from usage where user_id = ${app.owner.id}`,
  );
  return Number(row?.bytes);
}
const count = async (what: string) => {
  const [row] = await readSql<{ n: number }>(app.quire, `select count(*) as n from ${what}`);
  return Number(row?.n);
};

describe('a draft', () => {
  test('is saved beside the page, read, listed, saved again and published with its note', async () => {
    const page = await publish();
    const { status, body } = await save(page, { html_content: '<p>next</p>', note: ' New text ' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ success: true, warnings: [] });
    expect(body.draft).toMatchObject({ note: 'New text', base_version: 1, revision: 1, size: 11 });
    expect(body.draft.author).toBe(app.owner.username);
    const { id } = body.draft;
    expect(await served(page)).toContain('<p>live</p>');
    const list = (await app.owner.call('GET', toPath(page))).body;
    expect(list).toMatchObject({ drafts: [{ ...body.draft, ...LINK }], currentVersion: 1 });

    const again = await patch(page, id, { html_content: '<p>better</p>', revision: 1 });
    expect(again.body.draft).toMatchObject({ id, revision: 2, note: 'New text', size: 13 });
    const read = (await app.owner.call('GET', toPath(page, id))).body;
    expect(read).toEqual({ ...again.body.draft, ...LINK, html_content: '<p>better</p>', files: [] });
    expect(await served(page)).toContain('<p>live</p>');

    const published = await publishDraft(page, id);
    expect(published.body).toMatchObject({ success: true, version: 2, url: page.url });
    expect(await served(page)).toContain('<p>better</p>');
    expect((await versions(page))[0]).toMatchObject({ version: 2, current: true, note: 'New text' });
    expect((await app.owner.call('GET', toPath(page, id))).status).toBe(404);
    expect((await publishDraft(page, id)).status).toBe(404);
  });

  test('starts as a copy of the current version if no document is given', async () => {
    const page = await publish();
    const id = await makeDraft(page);
    expect((await app.owner.call('GET', toPath(page, id))).body.html_content).toBe('<p>live</p>');
  });

  test('of an unpublished page is published as a version, and the page stays hidden', async () => {
    const page = await publish({ is_published: false });
    const { body } = await publishDraft(page, await makeDraft(page, { html_content: '<p>x</p>' }));
    expect(body).toMatchObject({ version: 2, message: expect.stringContaining('is_published') });
    expect((await app.quire.request(`/p/${page.slug}`)).status).toBe(404);
  });

  test('can have the note of 500 characters and the document of 4 MB, and no more', async () => {
    const page = await publish();
    const html = 'x'.repeat(4 * 1024 * 1024);
    expect((await save(page, { html_content: html, note: 'ü'.repeat(500) })).status).toBe(201);
    expect((await save(page, { html_content: `${html}x` })).status).toBe(413);
    expect((await save(page, { note: 'ü'.repeat(501) })).status).toBe(400);
    expect((await save(page, { html_content: '' })).status).toBe(400);
    const id = await makeDraft(page);
    expect((await patch(page, id, { html_content: `${html}x` })).status).toBe(413);
    expect((await patch(page, id, { note: 'x'.repeat(501) })).status).toBe(400);
    expect((await publishDraft(page, id, { note: 'x'.repeat(501) })).status).toBe(400);
    await app.owner.call('DELETE', `/api/pages/${page.id}`);
  });

  test('is one of at most 20 of a page', async () => {
    const page = await publish();
    const ids: number[] = [];
    for (let made = 0; made < 20; made++) ids.push(await makeDraft(page));
    const refused = await save(page);
    expect([refused.status, refused.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    await remove(page, ids[0] ?? 0);
    expect((await save(page)).status).toBe(201);
    expect((await app.owner.call('GET', toPath(page))).body.drafts).toHaveLength(20);
  });

  test('says what is wrong with its document, with its own files in mind', async () => {
    const page = await publish();
    const html = '<script>let x = ;</script><img src="cat.png">';
    const { body } = await save(page, { html_content: html });
    const codes = (found: Array<{ code: string }>) => found.map(({ code }) => code);
    expect(codes(body.warnings)).toEqual(['SCRIPT_SYNTAX', 'MISSING_FILE']);
    expect(body.warnings[1].message).toContain(`/drafts/${body.draft.id}/files/cat.png`);
    await putFile(page, body.draft.id, 'cat.png', 'cat');
    const again = await patch(page, body.draft.id, { html_content: `${html} ` });
    expect(codes(again.body.warnings)).toEqual(['SCRIPT_SYNTAX']);
    const about = await putFile(
      page,
      body.draft.id,
      'about.html',
      '<a href="gone.html">x</a><img src="cat.png">',
    );
    expect(about.body.warnings).toEqual([
      expect.objectContaining({ code: 'MISSING_FILE', file: 'about.html' }),
    ]);
    expect(about.body.warnings[0].message).toContain(`/drafts/${body.draft.id}/files/gone.html`);
    // What did not change is not looked at again.
    const other = await putFile(page, body.draft.id, 'b.txt', 'b');
    expect(other.body.warnings).toEqual([]);
  });
});

describe('a conflict', () => {
  test('is reported when someone else has saved the draft', async () => {
    const page = await publish();
    const id = await makeDraft(page);
    await patch(page, id, { html_content: '<p>theirs</p>', revision: 1 });
    const conflict = { status: 409, body: { code: 'CONFLICT', currentRevision: 2 } };
    expect(await patch(page, id, { html_content: '<p>mine</p>', revision: 1 })).toMatchObject(conflict);
    expect(await putFile(page, id, 'a.txt', 'a', '?revision=1')).toMatchObject(conflict);
    expect(await publishDraft(page, id, { revision: 1 })).toMatchObject(conflict);
    expect((await app.owner.call('GET', toPath(page, id))).body.html_content).toBe('<p>theirs</p>');
  });

  test('is reported when the page has changed since the draft was started', async () => {
    const page = await publish();
    const id = await makeDraft(page, { html_content: '<p>mine</p>' });
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>theirs</p>' } });
    const conflict = { status: 409, body: { code: 'CONFLICT', currentVersion: 2 } };
    expect(await publishDraft(page, id)).toMatchObject(conflict);
    expect(await publishDraft(page, id, { base_version: 1 })).toMatchObject(conflict);
    expect(await served(page)).toContain('theirs');
    expect((await publishDraft(page, id, { base_version: 2 })).body.version).toBe(3);
    expect(await served(page)).toContain('mine');
  });

  test('is solved by basing the draft on the current version', async () => {
    const page = await publish();
    const id = await makeDraft(page, { html_content: '<p>mine</p>' });
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>theirs</p>' } });
    expect((await patch(page, id, { base_version: 3 })).status).toBe(404);
    expect((await patch(page, id, { base_version: 2 })).body.draft.base_version).toBe(2);
    expect((await publishDraft(page, id)).status).toBe(200);
  });
});

describe('the files of a draft', () => {
  test('begin with those of the page, and change without touching it', async () => {
    const page = await publish();
    await app.replace(page, { 'a.txt': 'one', 'b.txt': 'two' });
    const id = await makeDraft(page);
    const { body } = await putFile(page, id, 'a.txt', 'changed');
    expect(body).toMatchObject({ file: { path: 'a.txt', hash: sha256('changed') }, draft: { revision: 2 } });
    const deleted = await app.call('DELETE', `${toPath(page, id)}/files/b.txt`);
    expect(deleted.body.draft.revision).toBe(3);
    const read = (await app.owner.call('GET', toPath(page, id))).body;
    expect(read.files.map(({ path }: { path: string }) => path)).toEqual(['a.txt']);
    expect(await (await app.request('GET', `${toPath(page, id)}/files/a.txt`)).text()).toBe('changed');
    expect((await app.request('GET', `${toPath(page, id)}/files/b.txt`)).status).toBe(404);
    expect(await app.list(page)).toEqual(['a.txt', 'b.txt']);
    expect(await app.read(page, 'a.txt')).toBe('one');

    expect((await publishDraft(page, id)).body.version).toBe(3);
    expect(await app.list(page)).toEqual(['a.txt']);
    expect(await app.read(page, 'a.txt')).toBe('changed');
  });

  test('are replaced all at once, with its document', async () => {
    const page = await publish();
    const id = await makeDraft(page);
    await putFile(page, id, 'old.txt', 'old');
    const sent = form({ 'index.html': '<p>site</p>', 'new.txt': 'new' }, { 'kept.txt': sha256('old') });
    const { status, body } = await app.call('PUT', `${toPath(page, id)}/files`, { body: sent });
    expect(status).toBe(200);
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(['kept.txt', 'new.txt']);
    expect(body.draft).toMatchObject({ revision: 3, size: 11 });
    const index = await app.request('GET', `${toPath(page, id)}/files/index.html`);
    expect(await index.text()).toBe('<p>site</p>');
    const unknown = form({}, { 'a.txt': sha256('nobody has this') });
    expect((await app.call('PUT', `${toPath(page, id)}/files`, { body: unknown })).status).toBe(400);
  });

  test('stay while a draft has them, and are deleted and refunded after', async () => {
    const page = await publish();
    const before = await usedBytes();
    const [one, two] = [await makeDraft(page), await makeDraft(page)];
    await putFile(page, one, 'big.bin', 'only in drafts');
    await putFile(page, two, 'same.bin', 'only in drafts');
    await putFile(page, two, 'big.bin', 'only in drafts');
    const blob = `page_blobs where page_id = ${page.id} and hash = '${sha256('only in drafts')}'`;
    await remove(page, one);
    expect(await count(blob)).toBe(1);
    await app.call('DELETE', `${toPath(page, two)}/files/same.bin`);
    expect(await count(blob)).toBe(1);
    await putFile(page, two, 'big.bin', 'other bytes');
    expect(await count(blob)).toBe(0);
    await remove(page, two);
    expect(await count(`page_blobs where page_id = ${page.id}`)).toBe(0);
    expect(await count(`page_manifests where page_id = ${page.id}`)).toBe(0);
    expect(await usedBytes()).toBe(before);
  });

  test('stay with the version once a version has them, however they came to it', async () => {
    const page = await publish();
    const [one, two] = [await makeDraft(page), await makeDraft(page)];
    await putFile(page, one, 'a.txt', 'published');
    await putFile(page, two, 'b.txt', 'sent again');
    await publishDraft(page, one);
    // The page gets the bytes of the other draft by a file and by their hash.
    await app.put(page, 'b.txt', 'sent again');
    await remove(page, two);
    const three = await makeDraft(page);
    await putFile(page, three, 'c.txt', 'named');
    const hashes = { 'a.txt': sha256('published'), 'b.txt': sha256('sent again'), 'c.txt': sha256('named') };
    expect((await app.replace(page, {}, hashes)).status).toBe(200);
    await remove(page, three);
    expect(await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((path) => app.read(page, path)))).toEqual([
      'published',
      'sent again',
      'named',
    ]);
    expect(await app.read(page, 'a.txt', '?version=2')).toBe('published');
  });
});

describe('quota', () => {
  test('is charged for a draft, moves to its version, and is free after the page', async () => {
    const start = await usedBytes();
    const page = await publish();
    const empty = await usedBytes();
    const id = await makeDraft(page, { html_content: 'x'.repeat(1000), note: 'é' });
    expect(await usedBytes()).toBe(empty + 1002);
    await patch(page, id, { html_content: 'x'.repeat(400) });
    expect(await usedBytes()).toBe(empty + 402);
    await publishDraft(page, id, { note: 'four' });
    expect(await usedBytes()).toBe(empty + 404);
    await putFile(page, await makeDraft(page, { note: 'gone with the page' }), 'a.txt', 'abc');
    await app.owner.call('DELETE', `/api/pages/${page.id}`);
    expect(await usedBytes()).toBe(start);
    expect(await count(`page_drafts where page_id = ${page.id}`)).toBe(0);
  });

  test('stops a draft that does not fit, but not publishing one that is stored', async () => {
    const small = await filesApp({ QUIRE_QUOTA_BYTES: '1048576' });
    try {
      const page = await small.owner.publish({ html_content: '<p>live</p>' });
      const call = (method: string, path: string, body?: object) =>
        small.owner.call(method, toPath(page) + path, body && { body });
      const { body } = await call('POST', '', { html_content: 'x'.repeat(1_000_000) });
      const refused = { status: 403, body: { code: 'QUOTA_EXCEEDED' } };
      expect(await call('POST', '', { html_content: 'x'.repeat(100_000) })).toMatchObject(refused);
      expect(await call('PATCH', `/${body.draft.id}`, { html_content: 'x'.repeat(1_100_000) })).toMatchObject(
        refused,
      );
      expect((await call('POST', `/${body.draft.id}/publish`)).status).toBe(200);
    } finally {
      await small.quire.stop();
    }
  });
});

describe('access', () => {
  test('is for the owner and admins of the team; nobody reads drafts of another page', async () => {
    const [admin, member] = [await app.quire.user(), await app.quire.user()];
    const page = await publish({ storage_mode: 'team_app' });
    for (const [who, role] of [
      [admin, 'admin'],
      [member, 'member'],
    ] as const) {
      const invite = await app.owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role } });
      expect((await who.call('POST', `/api/join/${invite.body.inviteCode}`)).status).toBe(200);
    }
    const id = await makeDraft(page);
    const other = await publish();
    for (const as of [member, app.stranger]) {
      expect((await as.call('GET', toPath(page))).status).toBe(403);
      expect((await as.call('GET', toPath(page, id))).status).toBe(403);
      expect((await save(page, {}, as)).status).toBe(403);
      expect((await as.call('POST', `${toPath(page, id)}/publish`)).status).toBe(403);
    }
    expect((await app.owner.call('GET', toPath(other, id))).status).toBe(404);
    expect((await publishDraft(other, id)).status).toBe(404);
    expect((await remove(other, id)).status).toBe(404);
    const edited = await admin.call('PATCH', toPath(page, id), { body: { html_content: '<p>admin</p>' } });
    expect(edited.body.draft.author).toBe(admin.username);
    expect((await admin.call('POST', `${toPath(page, id)}/publish`)).body.version).toBe(2);
    expect((await versions(page))[0].author).toBe(admin.username);
  });
});

describe('at the same time', () => {
  const readStatus = ({ status }: { status: number }) => status;

  test('two people publish one draft: one version comes of it', async () => {
    const page = await publish();
    const id = await makeDraft(page, { html_content: '<p>once</p>' });
    const before = await usedBytes();
    const answers = await Promise.all([publishDraft(page, id), publishDraft(page, id)]);
    expect(answers.map(readStatus).sort()).toEqual([200, 404]);
    expect(await versions(page)).toHaveLength(2);
    expect(await usedBytes()).toBe(before);
  });

  test('a draft is published and the page changed: one of them gets a conflict', async () => {
    const page = await publish();
    const id = await makeDraft(page, { html_content: '<p>draft</p>' });
    const answers = await Promise.all([
      publishDraft(page, id, { base_version: 1 }),
      app.owner.call('PATCH', `/api/pages/${page.id}`, {
        body: { html_content: '<p>patch</p>', base_version: 1 },
      }),
    ]);
    expect(answers.map(readStatus).sort()).toEqual([200, 409]);
    expect(await versions(page)).toHaveLength(2);
  });

  test('a draft with files is published, saved and deleted: nothing breaks, leaks or counts wrong', async () => {
    const start = await usedBytes();
    for (let round = 0; round < 6; round++) {
      const page = await publish();
      const id = await makeDraft(page, { html_content: '<p>x</p>' });
      await putFile(page, id, 'a.txt', `round ${round}`);
      const answers = await Promise.all([
        publishDraft(page, id, { base_version: 1 }),
        putFile(page, id, 'a.txt', `later ${round}`),
        remove(page, id),
        app.put(page, 'b.txt', `round ${round}`),
        ...(round % 2 ? [app.owner.call('DELETE', `/api/pages/${page.id}`)] : []),
      ]);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
      for (const path of await app.list(page).catch(() => []))
        expect(await app.read(page, path)).toBeString();
      await app.owner.call('DELETE', `/api/pages/${page.id}`);
    }
    expect(await usedBytes()).toBe(start);
    expect(await count('page_blobs left join pages on pages.id = page_id where pages.id is null')).toBe(0);
    const wrong = '(select count(*) from page_blobs where page_blobs.hash = file_blobs.hash)';
    expect(await count(`file_blobs where pages <> ${wrong}`)).toBe(0);
  });
});

describe('notes on versions', () => {
  test('are set with a change, changed later, listed and charged', async () => {
    const page = await publish();
    const change = (body: object) => app.owner.call('PATCH', `/api/pages/${page.id}`, { body });
    await change({ html_content: '<p>2</p>', note: 'second' });
    const before = await usedBytes();
    const path = `/api/pages/${page.id}/versions/2`;
    const { body } = await app.owner.call('PATCH', path, { body: { note: ' second one ' } });
    expect(body).toMatchObject({ version: 2, note: 'second one', current: true });
    expect(await usedBytes()).toBe(before + 4);
    expect((await versions(page)).map(({ note }: { note?: string }) => note)).toEqual([
      'second one',
      undefined,
    ]);
    expect((await app.owner.call('GET', path)).body.note).toBe('second one');
    await change({ note: '' });
    expect((await versions(page))[0].note).toBeUndefined();
    expect((await app.owner.call('PATCH', path, { body: { note: 'x'.repeat(500) } })).status).toBe(200);
    expect((await app.owner.call('PATCH', path, { body: { note: 'x'.repeat(501) } })).status).toBe(400);
    expect((await change({ note: 'x'.repeat(501) })).status).toBe(400);
    const ninth = `/api/pages/${page.id}/versions/9`;
    expect((await app.owner.call('PATCH', ninth, { body: { note: 'x' } })).status).toBe(404);
    expect((await app.stranger.call('PATCH', path, { body: { note: 'x' } })).status).toBe(403);
  });
});
