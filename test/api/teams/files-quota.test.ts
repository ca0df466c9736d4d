import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type PublishedPage, type TestApp, testApp } from '../../support/app.ts';

const toFilesPath = (page: PublishedPage) => `/api/pages/${page.id}/team-files`;

/** The names of all files in the storage. */
function keptIds(app: TestApp): string[] {
  const folder = join(app.dataFolder, 'blobs');
  const names = [...new Bun.Glob('**/*').scanSync({ cwd: folder, dot: true })];
  return names.map((path) => path.split('/').at(-1) ?? '').sort();
}

describe('the quota of files of a team', () => {
  test('belongs to the owner of the page: usable to the last byte, freed by deleting, and never exceeded', async () => {
    const html = '<p>'.padEnd(100);
    const small = await testApp({ QUIRE_QUOTA_BYTES: String(html.length + 1_000) });
    const owner = await small.user('owner');
    const member = await small.user('member');
    const page = await owner.publish({ html_content: html, storage_mode: 'team_app' });
    const { inviteCode } = (await owner.call('POST', `/api/pages/${page.id}/team/invite`)).body;
    await member.call('POST', `/api/join/${inviteCode}`);
    const put = async (size: number) => {
      const form = new FormData();
      form.append('file', new File([new Uint8Array(size)], 'f'));
      const headers = { authorization: `Bearer ${member.token}` };
      const response = await small.request(toFilesPath(page), { method: 'POST', headers, body: form });
      return { status: response.status, body: (await response.json()) as { id: string; code: string } };
    };
    const first = await put(400);
    expect([first.status, (await put(600)).status]).toEqual([201, 201]);
    const kept = keptIds(small);
    const over = await put(1);
    expect([over.status, over.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    expect(keptIds(small)).toEqual(kept);
    expect((await put(0)).status).toBe(201);
    await member.call('DELETE', `${toFilesPath(page)}/${first.body.id}`);
    expect((await put(401)).status).toBe(403);
    // The quota of the member does not change, and the owner gets everything back with the page.
    expect(
      (await member.call('POST', '/api/pages', { body: { name: 'M', html_content: 'x'.repeat(1_100) } }))
        .status,
    ).toBe(201);
    await owner.call('DELETE', `/api/pages/${page.id}`);
    expect(
      (await owner.call('POST', '/api/pages', { body: { name: 'O', html_content: 'x'.repeat(1_100) } }))
        .status,
    ).toBe(201);
    await small.stop();
  });

  test('is not exceeded by many parallel uploads', async () => {
    const small = await testApp({ QUIRE_QUOTA_BYTES: '1000' });
    const owner = await small.user('owner');
    const page = await owner.publish({ html_content: 'x'.repeat(100), storage_mode: 'team_app' });
    const headers = { authorization: `Bearer ${owner.token}` };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => {
        const form = new FormData();
        form.append('file', new File([new Uint8Array(100)], 'f'));
        return small.request(toFilesPath(page), { method: 'POST', headers, body: form });
      }),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBe(9);
    expect(answers.filter(({ status }) => status === 403).length).toBe(11);
    expect(keptIds(small).length).toBe(9);
    await small.stop();
  });
});
