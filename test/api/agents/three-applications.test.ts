import { afterAll, beforeAll, expect, test } from 'bun:test';
import { APP_SCOPES } from '../../../contract/scopes.ts';
import { connectToPage, mcpUrl, type PageAgent } from '../../support/agents/page-mcp.ts';
import { CLUB, KANBAN, SHOP } from '../../support/agents/three-applications.ts';
import { countTokens } from '../../support/agents/tokens.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { connect } from '../../support/oauth.ts';
import { enterPage } from '../../support/pages/sessions.ts';

/** An agent that knows only the base URL builds three applications with the official client, which then work for people. */

/** Calls of tools, and what the agent has read, for all three applications. */
const MAX_CALLS = 12;
const MAX_TOKENS = 16_000;

let quire: TestApp;
let smtp: TestSmtp;
let owner: TestUser;
let member: TestUser;
let agent: PageAgent;
let calls = 0;
let tokens = 0;
beforeAll(async () => {
  smtp = await startSmtp();
  quire = await testApp({ QUIRE_SMTP_URL: smtp.url });
  owner = await quire.user('owner');
  member = await quire.user('member');
  await runSql(quire, 'update users set email_confirmed_at = 1');
});
afterAll(async () => {
  await agent?.client.close();
  await quire.stop();
  await smtp.stop();
});

/** Calls a tool that must not fail. */
async function use(name: string, input: Record<string, unknown>) {
  const answer = await agent.tool(name, input);
  calls++;
  tokens += countTokens([answer.text, answer.structured ?? '']);
  if (answer.isError) throw new Error(`${name}: ${answer.text}`);
  return answer.data;
}

/** Publishes a page. There must be nothing to warn of. */
async function publish(fields: object): Promise<PublishedPage> {
  const { page, warnings } = await use('create_page', { ...fields });
  expect(warnings).toEqual([]);
  return page;
}

/** Checks a page. Every step must be done. */
async function check(id: string, as: string[], steps: object[]) {
  const report = await use('check_page', { id, as, steps });
  const state = ({ state }: { state: string }) => state !== 'done';
  expect([report.steps.filter(state), report.errors]).toEqual([[], []]);
  return report;
}

const toHost = ({ id }: PublishedPage) => `http://p${id}.pages.localhost:3000`;
const click = (name: string) => ({ click: { role: 'button', name } });
const type = (name: string, text: string) => ({ type: { name, text } });
const shows = (text: string, by = 1) => ({ by, wait: { text } });

test('the agent finds the MCP server, and reads how to build', async () => {
  const catalog = (await quire.call('GET', '/.well-known/mcp/catalog.json')).body;
  const card = (await quire.call('GET', new URL(catalog.entries[0].url).pathname)).body;
  tokens += countTokens((await quire.call('GET', '/llms.txt')).body);
  const { access: token } = await connect(quire, owner, [...APP_SCOPES]);
  agent = await connectToPage(quire, card.remotes[0].url, { token });
  tokens += countTokens(await agent.client.listTools());
});

test('a club whose digest is mailed to its members', async () => {
  const slug = 'club-digest';
  await use('deploy_function', { slug, code: CLUB.digest, schedules: [{ cron: '0 8 * * 1' }] });
  const { html, files } = CLUB;
  const club = await publish({
    ...{ name: 'Club', storage_mode: 'team_app', html_content: html, files, functions: [slug] },
  });
  const { inviteCode } = await use('create_invite', { id: String(club.id), role: 'member' });
  expect((await member.call('POST', `/api/join/${inviteCode}`)).status).toBe(200);
  await check(
    club.slug,
    ['owner'],
    [shows('Welcome, owner'), type('Title', 'Regatta'), click('Post'), shows('Regatta')],
  );
  expect(await use('run_schedule', { slug })).toMatchObject({ result: 'ok', exception: null });
  for (const { username } of [owner, member])
    expect((await smtp.nextMail(`${username}@example.com`, /Club digest: 1 news/)).text).toContain('Regatta');
}, 120_000);

test('a board whose cards two people move: in the page, by its MCP server, and as WebMCP calls it', async () => {
  const slug = 'kanban-cards';
  const { code, files, html, inputSchema } = KANBAN;
  await use('deploy_function', { slug, code, files, enableDatabase: true });
  const agent_functions = [{ slug, description: 'Lists, adds and moves cards.', inputSchema }];
  const board = await publish({ name: 'Kanban', html_content: html, agent_functions });
  await check(
    board.slug,
    ['owner', 'visitor'],
    [
      ...[type('Card', 'Paint'), click('Add'), shows('Paint [todo] by owner')],
      ...[
        { by: 2, ...type('Card', 'Glue') },
        { by: 2, ...click('Add') },
        { by: 2, ...click('Done: Paint') },
        shows('Paint [done] by visitor', 2),
      ],
    ],
  );

  // The member's agent.
  const { access } = await connect(quire, member, ['functions:call'], { resource: mcpUrl(quire, board) });
  const theirs = await connectToPage(quire, mcpUrl(quire, board), { token: access });
  const moved = await theirs.tool(`call_${slug}`, { action: 'move', id: 1, column: 'doing' });
  expect(moved.data.body.data).toMatchObject([
    { title: 'Paint', col: 'doing', by: 'member' },
    { title: 'Glue' },
  ]);
  await theirs.client.close();

  // The owner's tab: its script calls the function, and so does the browser's agent.
  const headers = { cookie: await enterPage(quire, board, await owner.login()), origin: toHost(board) };
  const inPage = await quire.call('POST', `${toHost(board)}/api/functions/${slug}`, {
    headers,
    body: { action: 'move', id: 1, column: 'todo' },
  });
  expect(inPage.body.data).toMatchObject([{ col: 'todo', by: 'owner' }, {}]);
  const params = { name: `call_${slug}`, arguments: { action: 'move', id: 1, column: 'done' } };
  const { body } = await quire.call('POST', `${toHost(board)}/mcp`, {
    headers: { ...headers, 'mcp-protocol-version': '2025-11-25' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  });
  expect(body.result.structuredContent.data.body.data).toMatchObject([{ col: 'done', by: 'owner' }, {}]);
}, 120_000);

test('a shop whose orders the owner downloads', async () => {
  const slug = 'shop-api';
  const { code, files, html } = SHOP;
  await use('deploy_function', { slug, code, files, enableDatabase: true });
  const shop = await publish({ name: 'Shop', html_content: html });
  expect(shop).toMatchObject({ functions: [slug] });
  const { notes } = await check(
    shop.slug,
    ['nobody', 'owner'],
    [
      ...[{ select: { name: 'Product', text: 'Cup 12.00' } }, type('Name', '=Ann'), click('Order')],
      ...[shows('Thank you. Order 1'), click('Export orders'), shows('Only the owner exports.')],
      ...[{ by: 2, ...click('Export orders') }],
    ],
  );
  expect(notes).toEqual([expect.stringContaining('The page tried to download blob:')]);
  expect((await smtp.nextMail('owner@example.com', /Order 1/)).text).toContain('=Ann ordered 1');
}, 120_000);

test('all of it takes few calls and tokens', () => {
  expect(calls).toBeGreaterThan(10);
  expect(calls).toBeLessThanOrEqual(MAX_CALLS);
  expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
});
