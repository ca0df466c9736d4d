import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import {
  closeTabs,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** Pages that call functions, in each isolation. */

const MODES: Setting[] = ['origin', 'sandbox', 'trusted'];
const GREET = `export default { async fetch(request) {
  const { name } = await request.json();
  if (!name) return Response.json({ success: false, error: 'name is required' }, { status: 400 });
  return Response.json({ success: true, data: 'Hello, ' + name });
} }`;

afterEach(closeTabs);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      const owner = await stage.register('olga-calls');
      const deployed = await stage.call('POST', '/api/functions', {
        token: owner.token,
        body: { slug: 'greet', code: GREET },
      });
      expect(deployed.status).toBe(201);
      await stage.call('POST', '/api/functions', {
        token: owner.token,
        body: { slug: 'html', code: 'export default { fetch() { return new Response("<p>no JSON") } }' },
      });
      page = await stage.publish(owner, '<!doctype html><title>Caller</title>');
    });

    test('a page calls a function and gets its JSON, with any status', async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      const call = (params: unknown) =>
        tab.evaluate(`PageFunctions.call('greet', ${JSON.stringify(params)})`);
      expect(await call({ name: 'Ada' })).toEqual({ success: true, data: 'Hello, Ada' });
      expect(await call({})).toEqual({ success: false, error: 'name is required' });
    });

    test('a call without a JSON response rejects', async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      const outcome = await tab.evaluate(
        `PageFunctions.call('html').then(() => 'resolved', (error) => error.message)`,
      );
      expect(outcome).toContain('did not return JSON');
    });

    test('unfurl calls the built-in function, which refuses private addresses', async () => {
      const tab = await stage.enter();
      await tab.goto(page.url);
      expect(await tab.evaluate(`PageFunctions.unfurl('http://127.0.0.1:1/')`)).toEqual({
        success: false,
        error: expect.any(String),
      });
    });
  });
}
