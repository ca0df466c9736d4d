import { afterEach, expect, test } from 'bun:test';
import {
  closeTabs,
  type Person,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { codeField, write } from './publish.ts';

/** A hostile page in the preview of the logged-in user who edits it. */

const ATTEMPTS = `<!doctype html><body><p id="out">waiting</p><script>
const peek = (read) => { try { return 'read ' + String(read()).slice(0, 40); } catch (error) { return error.name; } };
const ask = (method, path, init) => fetch(path, { method, credentials: 'include', ...init }).then((response) => response.status, (error) => error.name);
const frame = (src) => new Promise((resolve) => {
  const made = document.createElement('iframe');
  made.onload = () => resolve(peek(() => made.contentDocument.body.innerText));
  made.src = src;
  document.body.append(made);
});
(async () => {
  const found = {
    parent: peek(() => parent.document.title),
    top: peek(() => top.location.href),
    token: peek(() => parent.localStorage.length),
    cookie: document.cookie,
    origin: origin,
    session: await ask('POST', '/api/auth/session-token'),
    me: await ask('GET', '/api/auth/me'),
    pages: await ask('GET', '/api/pages'),
    remove: await ask('DELETE', '/api/pages/{{PAGE_ID}}'),
    picture: await ask('POST', '/api/pages/{{PAGE_ID}}/generate-preview-image'),
    dashboard: await ask('GET', '/pages'),
    framed: await frame('/account'),
    user: await PageUser.ready.then(() => PageUser.current()),
    sdk: typeof SoloData,
  };
  parent.postMessage({ preview: { top: 'nonsense' } }, '*');
  parent.postMessage({ preview: 'shown' }, '*');
  parent.postMessage(null, '*');
  document.getElementById('out').textContent = JSON.stringify(found);
})();
</script>`;

afterEach(closeTabs);

let owners = 0;
async function withStage(setting: Setting, work: (stage: Stage, person: Person) => Promise<void>) {
  const stage = await sharedStage(setting);
  await work(stage, await stage.register(`owner-preview-${++owners}`));
}

test.each(['origin', 'sandbox'] as const)(
  'the preview cannot reach anything of the dashboard (%s)',
  (setting) =>
    withStage(setting, async (stage, person) => {
      const page = await stage.publish(person, ATTEMPTS, { storage_mode: 'solo_app' });
      const tab = await stage.reuse(person);
      await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
      const out = tab.frameLocator('iframe:not(.coming)').locator('#out');
      await out.getByText('{').waitFor();
      expect(JSON.parse(await out.innerText())).toEqual({
        parent: 'SecurityError',
        top: 'SecurityError',
        token: 'SecurityError',
        cookie: '',
        origin: 'null',
        session: 'TypeError',
        me: 'TypeError',
        pages: 'TypeError',
        remove: 'TypeError',
        picture: 401,
        dashboard: 'TypeError',
        framed: 'TypeError',
        user: null,
        sdk: 'object',
      });
      expect((await stage.call('GET', `/api/pages/${page.id}`, { token: person.token })).status).toBe(200);
    }),
);

test('the preview cannot navigate the window, take the keyboard focus, or hang the dashboard', () =>
  withStage('origin', async (stage, person) => {
    const page = await stage.publish(person, '<!doctype html><h1>Calm</h1>');
    const tab = await stage.reuse(person);
    const dialogs: string[] = [];
    tab.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.dismiss();
    });
    await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
    const shown = tab.frameLocator('iframe:not(.coming)');
    await shown.getByRole('heading', { name: 'Calm' }).waitFor();

    await write(
      tab,
      '<h1>Leading</h1><script>try { top.location = "/logout" } catch {} open("/logout", "_top")</script>',
    );
    await shown.getByRole('heading', { name: 'Leading' }).waitFor();
    expect(tab.url()).toBe(`${stage.baseUrl}/pages/${page.id}`);

    await write(
      tab,
      '<h1>Taking</h1><input id="i"><script>window.onfocus = () => parent.postMessage({ took: true }, "*"); i.focus()</script>',
    );
    await shown.getByRole('heading', { name: 'Taking' }).waitFor();
    await waitUntil(() => tab.evaluate('document.activeElement.closest(".code-editor") !== null'));
    await tab.keyboard.type('typed on');
    expect(await codeField(tab).innerText()).toContain('typed on');

    await write(tab, '<h1>Hanging</h1><script>for (;;);</script>');
    await tab.getByText('does not finish loading').waitFor();
    await write(tab, '<h1>Well again</h1>');
    await shown.getByRole('heading', { name: 'Well again' }).waitFor();
    expect(dialogs).toEqual([]);

    await write(
      tab,
      '<h1>Flooding</h1><script>setInterval(() => { for (let n = 0; n < 200; n++) parent.postMessage({ n }, "*") })</script>',
    );
    await tab.getByText('does not finish loading').waitFor();
    // The same message is shown while it only loads slowly.
    await waitUntil(async () => (await tab.locator('iframe').count()) === 0);
    await write(tab, '<h1>Calm again</h1>');
    await shown.getByRole('heading', { name: 'Calm again' }).waitFor();
  }));

test('the preview frame shows nothing by itself, and cannot be framed by another site', () =>
  withStage('origin', async (stage, person) => {
    const { headers, status } = await stage.call('GET', '/preview?page=1&slug=a-page&mode=page');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(
      "sandbox allow-scripts allow-forms allow-modals allow-popups; frame-ancestors 'self'",
    );
    for (const query of [
      '',
      '?page=0&slug=a&mode=page',
      '?page=1&slug="><script>&mode=page',
      '?page=1&slug=a&mode=x',
    ])
      expect({ query, status: (await stage.call('GET', `/preview${query}`)).status }).toEqual({
        query,
        status: 400,
      });

    const page = await stage.publish(
      person,
      `<!doctype html><iframe src="${stage.baseUrl}/preview?page=1&slug=a-page&mode=page" onload="document.title = 'loaded'"></iframe>`,
    );
    const tab = await stage.reuse(person);
    const refused = tab.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await tab.goto(page.address);
    await refused;
  }));
