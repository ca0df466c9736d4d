import { afterEach, beforeAll, expect, test } from 'bun:test';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** Apps that others have built: their routers, parts, threads and service workers work on the page's own host. */

const APP = {
  'index.html': `<!doctype html><title>App</title><a href="/orders/7">Order</a><main></main>
    <script type="module" src="/assets/app.js"></script>`,
  'assets/app.js': `const show = () => { document.querySelector('main').textContent = location.pathname };
    document.querySelector('a').onclick = (event) => {
      event.preventDefault();
      history.pushState(null, '', event.target.href);
      show();
    };
    show();`,
  'assets/part.js': 'export {}',
  'assets/part-BXxNJSYJ.js': 'export {}',
  'part.html': '<p>a part</p>',
  'worker.js': `addEventListener('install', () => skipWaiting());
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('fetch', (event) => {
      if (event.request.url.endsWith('/offline.txt')) event.respondWith(new Response('from the worker'));
    });`,
};

let stage: Stage;
let owner: Person;
let page: Published;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-builds');
  page = await stage.publish(owner, '<p>', { name: 'An app', spa: true });
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

const set = async (isolation: object) => {
  const changed = await stage.call('PATCH', `/api/pages/${page.id}`, {
    token: owner.token,
    body: { isolation },
  });
  expect(changed.status).toBe(200);
};

test('an address that only the router knows can be reloaded', async () => {
  const tab = await stage.enter();
  await tab.goto(page.url);
  await tab.click('a');
  expect(await tab.textContent('main')).toBe('/orders/7');
  const reloaded = await tab.reload();
  expect(reloaded?.status()).toBe(200);
  expect(await tab.textContent('main')).toBe('/orders/7');
  expect(await tab.evaluate("fetch('/assets/gone.js').then(({ status }) => status)")).toBe(404);
});

test('a part that a script fetches is what its author wrote', async () => {
  const tab = await stage.enter();
  await tab.goto(page.url);
  expect(await tab.evaluate("fetch('/part.html').then((response) => response.text())")).toBe(
    APP['part.html'],
  );
});

test('a script with a hash in its name is loaded once, and others are checked', async () => {
  const tab = await stage.enter();
  const load = async (path: string) => {
    await tab.goto(page.url);
    return tab.evaluate(`import('/${path}').then(() =>
      performance.getEntriesByName(location.origin + '/${path}')[0].transferSize > 0)`);
  };
  for (const path of ['assets/part-BXxNJSYJ.js', 'assets/part.js']) expect(await load(path)).toBe(true);
  expect(await load('assets/part-BXxNJSYJ.js')).toBe(false);
  expect(await load('assets/part.js')).toBe(true);
});

test('threads share memory if the page is isolated, and the SDK still loads', async () => {
  const tab = await stage.enter();
  const look = async () => {
    await tab.goto(page.url);
    return tab.evaluate('[crossOriginIsolated, typeof SharedArrayBuffer, typeof PageUser]');
  };
  expect(await look()).toEqual([false, 'undefined', 'object']);
  await set({ coop: 'same-origin', coep: 'require-corp' });
  expect(await look()).toEqual([true, 'function', 'object']);
  await set({});
});

test('a service worker runs if it is allowed, and ends when it no longer is', async () => {
  const tab = await stage.enter();
  await tab.goto(page.url);
  const begin = "navigator.serviceWorker.register('/worker.js').then(() => 'runs', () => 'refused')";
  const ended = 'navigator.serviceWorker.getRegistration().then((it) => it === undefined)';
  expect(await tab.evaluate(begin)).toBe('refused');
  await set({ service_worker: true });
  expect(await tab.evaluate(begin)).toBe('runs');
  await tab.waitForFunction('navigator.serviceWorker.controller !== null');
  const offline = "fetch('/offline.txt').then((response) => response.text())";
  expect(await tab.evaluate(offline)).toBe('from the worker');
  // A worker that has not changed goes on.
  await tab.evaluate('navigator.serviceWorker.getRegistration().then((it) => it.update())');
  expect(await tab.evaluate(offline)).toBe('from the worker');
  await set({ service_worker: false });
  await tab.evaluate('navigator.serviceWorker.getRegistration().then((it) => it.update())');
  await tab.waitForFunction(ended);
});
