import { expect, test } from 'bun:test';
import { testApp } from '../support/app.ts';

/** Checks of pages wherever the service is: its hosts resolve nowhere, so the browser must get them from the service. */

const HTML = `<!doctype html><title>Where</title><script type="module">
  console.log(location.href, (await PageUser.current())?.username, isSecureContext);
  console.log((await SoloData.create('notes', { text: 'kept' })).data.text);
</script>`;

test.each([
  [
    'on its own host, over HTTPS',
    { QUIRE_BASE_URL: 'https://quire.example', QUIRE_PAGES_HOST: 'pages.example' },
    'https://p1.pages.example/ owner true',
  ],
  [
    'in a sandbox, over HTTPS',
    { QUIRE_BASE_URL: 'https://quire.example' },
    'https://quire.example/p/a-page owner true',
  ],
  [
    'in a sandbox, at an address',
    { QUIRE_BASE_URL: 'http://10.1.2.3:4000' },
    'http://10.1.2.3:4000/p/a-page owner false',
  ],
])(
  'a page %s is checked as its owner',
  async (_, settings, line) => {
    const quire = await testApp({ ...settings });
    try {
      const owner = await quire.user('owner');
      const page = await owner.publish({ html_content: HTML, storage_mode: 'solo_app' });
      const { body } = await owner.call('POST', `/api/pages/${page.id}/check`, { body: { as: 'owner' } });
      expect({ errors: body.errors, failed: body.failedRequests }).toEqual({ errors: [], failed: [] });
      expect(body.console.map(({ text }: { text: string }) => text)).toEqual([line, 'kept']);
    } finally {
      await quire.stop();
    }
  },
  60_000,
);

test('a page without isolation is checked as nobody only', async () => {
  const quire = await testApp({ QUIRE_ISOLATION: 'trusted' });
  try {
    const owner = await quire.user('owner');
    const page = await owner.publish({ html_content: HTML });
    const check = (as: string) => owner.call('POST', `/api/pages/${page.id}/check`, { body: { as } });
    expect((await check('owner')).status).toBe(400);
    expect((await check('nobody')).body.title).toBe('Where');
  } finally {
    await quire.stop();
  }
}, 60_000);

test('a private page in a sandbox is checked with its files', async () => {
  const quire = await testApp({ QUIRE_BASE_URL: 'https://quire.example' });
  try {
    const owner = await quire.user('owner');
    const html_content = '<!doctype html><title>Files</title><script type="module" src="a.js"></script>';
    const page = await owner.publish({ html_content, access: { mode: 'private' } });
    const written = await quire.request(`/api/pages/${page.id}/files/a.js`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${owner.token}` },
      body: 'console.log("loaded")',
    });
    expect(written.status).toBe(200);
    const { body } = await owner.call('POST', `/api/pages/${page.id}/check`, { body: { as: 'owner' } });
    expect({ errors: body.errors, failed: body.failedRequests }).toEqual({ errors: [], failed: [] });
    expect(body.console.map(({ text }: { text: string }) => text)).toEqual(['loaded']);
  } finally {
    await quire.stop();
  }
}, 60_000);
