import { afterEach, beforeAll, expect, test } from 'bun:test';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Published, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** Apps on a server without a host for pages: they have no origin, and their addresses begin at the page. */

const APP = {
  'index.html': `<!doctype html><title>App</title><link rel="icon" href="data:,"><a href="orders/7">Order</a><main></main>
    <script type="module" src="./assets/app.js"></script>`,
  'assets/app.js': `import { root } from './root.js';
    const show = () => { document.querySelector('main').textContent = location.pathname.slice(root.length) };
    document.querySelector('a').onclick = (event) => {
      event.preventDefault();
      history.pushState(null, '', event.target.href);
      show();
    };
    show();`,
  'assets/root.js': `export const root = new URL('./', document.baseURI).pathname;`,
  'part.html': '<p>a part</p>',
  'work/classic.js': `importScripts('more.js');
    onmessage = async ({ data }) => {
      const request = new XMLHttpRequest();
      request.open('GET', 'word.txt', false);
      request.send();
      const fetched = await (await fetch('word.txt')).text();
      postMessage([data, more, fetched, request.responseText, new URL('x', location).pathname]);
    };`,
  'work/module.js': `import './more.js';
    onmessage = async ({ data }) => {
      const fetched = await (await fetch('word.txt')).text();
      postMessage([data, more, fetched, new URL('x', import.meta.url).pathname]);
    };`,
  'work/more.js': `self.more = 'more';`,
  'work/word.txt': 'word',
};

let stage: Stage;
let page: Published;
beforeAll(async () => {
  stage = await sharedStage('sandbox');
  const owner = await stage.register('sara-sandboxes');
  page = await stage.publish(owner, '<p>', { name: 'A sandboxed app', spa: true });
  const form = new FormData();
  for (const [path, content] of Object.entries(APP)) form.append(path, new File([content], path));
  const headers = { authorization: `Bearer ${owner.token}` };
  const sent = await fetch(`${stage.baseUrl}/api/pages/${page.id}/files`, {
    method: 'PUT',
    headers,
    body: form,
  });
  expect(sent.status).toBe(200);
});
afterEach(closeTabs);

test('an address that only the router knows can be reloaded, at any depth', async () => {
  const tab = await stage.enter();
  const complaints = watchComplaints(tab);
  await tab.goto(page.url);
  await tab.click('a');
  expect(await tab.textContent('main')).toBe('orders/7');
  const reloaded = await tab.reload();
  expect(reloaded?.status()).toBe(200);
  await tab.waitForFunction("document.querySelector('main').textContent === 'orders/7'");
  expect(complaints).toEqual([]);
});

test('a script can add headers to a request for a file', async () => {
  const tab = await stage.enter();
  await tab.goto(page.url);
  const load = `fetch('part.html', { headers: { 'HX-Request': 'true' } }).then((response) => response.text())`;
  expect(await tab.evaluate(load)).toBe(APP['part.html']);
});

test('workers start from files, and find what is beside them', async () => {
  const tab = await stage.enter();
  const complaints = watchComplaints(tab);
  await tab.goto(page.url);
  const ask = (url: string, options = '{}') =>
    tab.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker(${url}, ${options});
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage('asked');
    })`);
  const at = `/p/${page.slug}/work/x`;
  expect(await ask("'work/classic.js'")).toEqual(['asked', 'more', 'word', 'word', at]);
  expect(await ask("new URL('work/module.js', location)", "{ type: 'module' }")).toEqual([
    'asked',
    'more',
    'word',
    at,
  ]);
  const own = `URL.createObjectURL(new Blob(['onmessage = ({ data }) => postMessage(data)']))`;
  expect(await ask(own)).toBe('asked');
  expect(complaints).toEqual([]);
});
