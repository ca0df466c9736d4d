import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  type Person,
  type Published,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** The tools of a page in browsers that have an agent of their own, in each isolation. */

const MODES: Setting[] = ['origin', 'sandbox', 'trusted'];

afterEach(closeTabs);

/** What such a browser defines before any script runs. */
const withAgent = (tab: Page, owner: 'document' | 'navigator') =>
  tab.addInitScript(`{
    const tools = {};
    const registerTool = (tool) => {
      if (tools[tool.name]) throw new Error('there is one');
      tools[tool.name] = tool;
    };
    Object.defineProperty(${owner}, 'modelContext', { value: { registerTool } });
    window.tools = tools;
  }`);
const execute = async (tab: Page, name: string, input: object) => {
  const { content } = await tab.evaluate<{ content: { text: string }[] }>(
    `tools[${JSON.stringify(name)}].execute(${JSON.stringify(input)})`,
  );
  // A notice and one line of JSON.
  const json = content
    .map(({ text }) => text)
    .join('\n')
    .match(/^\{.*\}$/m)?.[0];
  return JSON.parse(json ?? '{}') as Record<string, unknown>;
};
const waitForTool = (tab: Page, name: string) => tab.waitForFunction(`tools[${JSON.stringify(name)}]`);

for (const setting of MODES) {
  describe(`in ${setting} isolation`, () => {
    let stage: Stage;
    let owner: Person;
    let visitor: Person;
    let page: Published;
    beforeAll(async () => {
      stage = await sharedStage(setting);
      owner = await stage.register('olga-tools');
      visitor = await stage.register('vera-tools');
      page = await stage.publish(owner, '<!doctype html><title>Tools</title>', { storage_mode: 'solo_app' });
    });

    test('the browser gets the list of the MCP server, and its tools act as the visitor', async () => {
      const tab = await stage.enter(visitor);
      await withAgent(tab, 'document');
      await tab.goto(page.url);
      await waitForTool(tab, 'create_record');
      const made = await execute(tab, 'create_record', { collection: 'notes', data: { text: 'hi' } });
      expect(made).toMatchObject({ data: { text: 'hi' } });
      const listed = await execute(tab, 'list_records', { collection: 'notes' });
      expect(listed.total).toBe(1);
      expect(await tab.evaluate('tools.list_records.annotations')).toEqual({
        readOnlyHint: true,
        untrustedContentHint: true,
      });
    });

    test('a function of the page learns who the visitor is', async () => {
      const slug = `teller-${setting}`;
      const code = `export default { fetch: ({ headers }) => Response.json(
        ['user-id', 'user-name', 'page-id'].map((name) => headers.get('x-quire-' + name))) }`;
      const deployed = await stage.call('POST', '/api/functions', {
        token: owner.token,
        body: { slug, code },
      });
      expect(deployed.status).toBe(201);
      const shop = await stage.publish(owner, '<!doctype html><title>Shop</title>', {
        functions: [slug],
        agent_functions: [{ slug, description: 'Tells.', inputSchema: { type: 'object' } }],
      });
      const tab = await stage.enter(visitor);
      await withAgent(tab, 'document');
      await tab.goto(shop.url);
      await waitForTool(tab, `call_${slug}`);
      expect((await execute(tab, `call_${slug}`, {})).body).toEqual([
        String(visitor.id),
        'vera-tools',
        String(shop.id),
      ]);
      expect(await execute(tab, 'log_in', {})).toMatchObject({ user: { username: 'vera-tools' } });
    });

    test('a visitor who is not logged in is asked to', async () => {
      const tab = await stage.enter();
      await withAgent(tab, 'navigator');
      await tab.goto(page.url);
      await waitForTool(tab, 'list_records');
      const outcome = await tab.evaluate(
        `tools.list_records.execute({ collection: 'notes' }).then(() => 'done', (error) => error.message)`,
      );
      expect(outcome).toContain('logged in');
    });

    test('without such an interface nothing is loaded', async () => {
      const tab = await stage.enter();
      const loaded: string[] = [];
      tab.on('request', (request) => loaded.push(new URL(request.url()).pathname));
      await tab.goto(page.url);
      await tab.waitForFunction('typeof PageUser === "object"');
      await tab.waitForLoadState('load');
      expect(loaded.filter((path) => path.includes('agent-tools') || path.endsWith('/mcp'))).toEqual([]);
    });
  });
}
