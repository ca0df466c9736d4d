import { afterEach, expect, test } from 'bun:test';
import { closeTabs, openStage, type Setting } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';

/** What a page of a branch reaches with the browser's own fetch, in each isolation. */

const toCode = (side: string) => `export default { async fetch(request) {
  return Response.json({ side: '${side}', method: request.method, body: await request.text(), url: request.url });
} }`;

afterEach(closeTabs);

test.each(['origin', 'sandbox', 'trusted'] satisfies Setting[])(
  'in %s isolation, fetch reaches the functions of the branch, and no others',
  async (setting) => {
    const stage = await openStage(setting, { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
    try {
      const owner = await stage.register('olga-branch');
      const { token } = owner;
      const send = (method: string, path: string, body?: unknown) =>
        stage.call(method, path, { token, body });
      for (const slug of ['told', 'outside'])
        await send('POST', '/api/functions', { slug, code: toCode('main') });
      const page = await stage.publish(owner, '<!doctype html><title>Branched</title>');
      await send('PATCH', `/api/pages/${page.id}`, { functions: ['told'] });
      const path = `/api/pages/${page.id}/branches`;
      expect((await send('POST', path, { name: 'try', data: 'all' })).status).toBe(201);
      await waitUntil(async () => (await send('GET', `${path}/try`)).body.state === 'ready');
      await send('PATCH', '/api/functions/told--try', { code: toCode('branch') });
      const branch = (await send('GET', `${path}/try`)).body.page;
      const tab = await stage.enter(owner);
      const call = (name: string, init: string) =>
        tab.evaluate(
          `fetch(${init}).then(async (response) => [response.status, (await response.json()).side ?? null])`.replace(
            'NAME',
            name,
          ),
        );
      await tab.goto(page.url);
      expect(await call('told', "'/api/functions/NAME', { method: 'POST' }")).toEqual([200, 'main']);
      await tab.goto(branch.url ?? `${stage.baseUrl}/p/${branch.slug}`);
      for (const init of [
        "'/api/functions/NAME', { method: 'POST', body: 'text' }",
        "new URL('/api/functions/NAME?a=1', document.baseURI), { method: 'POST' }",
        "new Request('/api/functions/NAME#here', { method: 'POST', body: JSON.stringify({ a: 1 }) })",
      ]) {
        expect([init, await call('told', init)]).toEqual([init, [200, 'branch']]);
        expect([init, (await call('outside', init)) as unknown[]]).toEqual([init, [404, null]]);
      }
      const seen = (await tab.evaluate(
        "fetch('/api/functions/told?a=1', { method: 'POST', body: 'text' }).then((response) => response.json())",
      )) as object;
      expect(seen).toMatchObject({ body: 'text', method: 'POST', url: 'http://function/?a=1' });
    } finally {
      await stage.close();
    }
  },
);
