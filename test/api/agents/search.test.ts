import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ToolAnswer } from '../../support/agents/mcp.ts';
import { connectToPage, mcpUrl } from '../../support/agents/page-mcp.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { SEARCHED, setSearch } from '../../support/data/search.ts';

/** Agents search collections with `q`, at the MCP server of a page and at that of the service. */

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

interface Searched {
  data: { title: string };
  marks: { pieces: { text: string; hit: boolean }[] }[];
}

/** The titles of the records, each with what is marked. */
const read = ({ data }: ToolAnswer) =>
  (data.records as Searched[]).map(({ data: { title }, marks }) => [
    title,
    ...marks.flatMap(({ pieces }) => pieces.filter(({ hit }) => hit).map(({ text }) => text)),
  ]);

async function publish() {
  const page = await owner.publish({ name: 'Notes', storage_mode: 'social_app' });
  const collections = `/api/pages/${page.id}/social-data`;
  await setSearch(owner, `${collections}/notes`);
  const schema = { fields: SEARCHED.fields };
  await owner.call('PUT', `${collections}/plain/schema`, { body: { schema } });
  for (const title of ['Straße nach Ulm', 'Strassen', 'Wege'])
    await owner.call('POST', `${collections}/notes`, { body: { data: { title, note: 'strasse' } } });
  return page;
}

test('finds words with q, and marks them', async () => {
  const page = await publish();
  const visitor = await connectToPage(quire, mcpUrl(quire, page));
  const manager = await connectToPage(quire, `${quire.baseUrl}/mcp`, { token: owner.token });
  const found = [
    ['Strassen', 'Strassen'],
    ['Straße nach Ulm', 'Straße'],
  ];
  expect(read(await visitor.tool('list_notes', { q: 'STRASSE' }))).toEqual(found);
  expect(read(await visitor.tool('list_records', { collection: 'notes', q: 'STRASSE' }))).toEqual(found);
  const place = { id: String(page.id), type: 'social-data', collection: 'notes' };
  expect(read(await manager.tool('query_records', { ...place, q: 'STRASSE' }))).toEqual(found);
  const both = { q: '"nach ulm"', where: { note: 'strasse' } };
  const one = [['Straße nach Ulm', 'nach', 'Ulm']];
  expect(read(await visitor.tool('list_notes', both))).toEqual(one);
  expect(read(await manager.tool('query_records', { ...place, ...both }))).toEqual(one);
  await visitor.client.close();
  await manager.client.close();
});

test('offers q for collections that can be searched, and says why others cannot', async () => {
  const agent = await connectToPage(quire, mcpUrl(quire, await publish()));
  const { tools } = await agent.client.listTools();
  const describeSearch = (name: string) => {
    const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
    return (properties.q as { description: string } | undefined)?.description;
  };
  expect(describeSearch('list_notes')).toEndWith('Searches title.');
  expect(describeSearch('list_plain')).toBeUndefined();
  const refused = await agent.tool('list_records', { collection: 'plain', q: 'x' });
  expect(refused.data).toMatchObject({ status: 400, error: expect.stringContaining('cannot be searched') });
  await agent.client.close();
});
