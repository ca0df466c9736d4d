import { afterAll, beforeAll, expect, test } from 'bun:test';
import { lengthWithin } from '../../../server/product/agents/mcp/tools/results/tokens.ts';
import { countTokens } from '../../support/agents/tokens.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** What agents pay for: the list of tools, the text for agents, and each result. */

const MAX_LIST_TOKENS = 9_000;
const MAX_LLMS_TOKENS = 3_000;
const MAX_RESULT_TOKENS = 4_000;

let quire: TestApp;
let user: TestUser;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user('ada');
});
afterAll(() => quire.stop());

async function send(method: string, params: object = {}, query = '') {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const headers = { 'mcp-protocol-version': '2025-11-25' };
  return (await user.call('POST', `/mcp${query}`, { body, headers })).body.result;
}
const tool = (name: string, input: object, query = '') =>
  send('tools/call', { name, arguments: input }, query);

test('all tools have at most 9,000 tokens, and a group has fewer', async () => {
  const all = await send('tools/list');
  expect(countTokens(all)).toBeLessThanOrEqual(MAX_LIST_TOKENS);
  const group = await send('tools/list', {}, '?tools=data,people');
  const names = group.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['whoami', 'read_docs', 'query_records', 'list_team']));
  expect(names).not.toContain('get_page');
  expect(countTokens(group)).toBeLessThan(countTokens(all) / 3);
  const query = '?tools=nonsense';
  const { status, body } = await user.call('POST', `/mcp${query}`, { body: {} });
  expect([status, body.error]).toEqual([400, expect.stringContaining('pages, files, functions')]);
});

test('the text for agents has at most 3,000 tokens', async () => {
  expect(countTokens((await quire.call('GET', '/llms.txt')).body)).toBeLessThanOrEqual(MAX_LLMS_TOKENS);
});

const LINE = '<section class="card"><h2>Opening hours</h2><p>Monday to Friday, 9 to 17</p></section>\n';
const LONG: [string, string][] = [
  ['HTML', LINE.repeat(2_000)],
  ['prose', 'A function is an ES module whose default export has fetch(request, env). '.repeat(2_000)],
  ['script', "const { data } = await PageFunctions.call('shop-api', { id: item.id });\n".repeat(2_000)],
  ['Japanese', '今日は天気がいいから散歩しましょう。'.repeat(3_000)],
  ['Russian', 'Съешь ещё этих мягких французских булок, да выпей чаю. '.repeat(2_000)],
  ['Arabic', 'مرحبا بالعالم كيف حالك اليوم '.repeat(2_000)],
  ['German', 'Rechtsschutzversicherungsgesellschaften grüßen schöne Donaudampfschiffe. '.repeat(2_000)],
  ['base64', Buffer.from(new Bun.CryptoHasher('sha512').update('x').digest()).toString('base64').repeat(500)],
  ['hexadecimal', new Bun.CryptoHasher('sha512').update('x').digest('hex').repeat(500)],
  ['numbers', JSON.stringify(Array.from({ length: 9_000 }, (_, at) => (at * 7_919) % 1_000))],
  ['JSON', '{"a":[1,{"b":null}],"c":"d"},'.repeat(1_000)],
];

test.each(LONG)('%s is estimated to have at least as many tokens as it has', (_, text) => {
  const part = text.slice(0, lengthWithin(text, 3_700));
  expect(countTokens(part)).toBeLessThanOrEqual(MAX_RESULT_TOKENS - 100);
  expect(countTokens(part)).toBeGreaterThan(1_000);
});

test.each(LONG)(
  'a result with %s has at most 4,000 tokens, says how to get the rest, and has it once',
  async (_, text) => {
    const page = await user.publish({ html_content: `<!doctype html>${text}` });
    const structured = await tool('get_page', { id: page.id });
    expect(countTokens(structured)).toBeLessThanOrEqual(MAX_RESULT_TOKENS);
    expect(structured.structuredContent.more).toMatch(/Continue with (from=\d+|read_file and from_line=\d+)/);
    expect(structured.content[0].text).toBe(structured.structuredContent.more);
    const asText = await tool('get_page', { id: page.id }, '?results=text');
    expect(asText.structuredContent).toBeUndefined();
    expect(countTokens(asText.content[0].text)).toBeLessThanOrEqual(MAX_RESULT_TOKENS);
  },
);

test('statistics have no hours in which nothing happened', async () => {
  const page = await user.publish({ html_content: '<p>' });
  const { structuredContent } = await tool('get_page_analytics', { id: String(page.id), range: '90d' });
  expect(structuredContent.data).toMatchObject({ series: [], previous: [] });
  expect(countTokens(structuredContent)).toBeLessThan(300);
});
