import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { toAnswer } from '../../support/agents/mcp.ts';
import { closeTabs, logIn, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** What an agent does that knows only the base URL, and a person whose browser it can open. */

let stage: Stage;
let app: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  stage = await sharedStage('origin');
  const html = '<!doctype html><title>Back</title><h1>Back in the app</h1>';
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  app = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(html, { headers }) });
});
afterAll(() => app.stop(true));
afterEach(closeTabs);

/** The official client with what it keeps between runs, in memory. */
class Agent {
  readonly client = new Client({ name: 'journey', version: '1' });
  /** Where the client sends the person. */
  asked: URL | undefined;
  readonly #kept: Record<string, unknown> = {};
  readonly #transport: StreamableHTTPClientTransport;

  constructor(
    private readonly name: string,
    private readonly url: string,
  ) {
    this.#transport = this.#newTransport();
  }

  #newTransport(): StreamableHTTPClientTransport {
    const kept = this.#kept;
    const redirectUrl = `http://127.0.0.1:${app.port}/callback`;
    const keep = (name: string) => (value: unknown) => void Object.assign(kept, { [name]: value });
    const authProvider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { client_name: this.name, redirect_uris: [redirectUrl] },
      clientInformation: () => kept.client as never,
      saveClientInformation: keep('client'),
      tokens: () => kept.tokens as never,
      saveTokens: keep('tokens'),
      codeVerifier: () => kept.verifier as string,
      saveCodeVerifier: keep('verifier'),
      discoveryState: () => kept.discovery as never,
      saveDiscoveryState: keep('discovery'),
      redirectToAuthorization: (url) => {
        this.asked = url;
      },
    };
    return new StreamableHTTPClientTransport(new URL(this.url), { authProvider });
  }

  get token(): string {
    return (this.#kept.tokens as { access_token: string }).access_token;
  }

  /** Connects, on a new connection if the first one was refused. */
  connect({ isFirst = true } = {}): Promise<void> {
    return this.client.connect(isFirst ? this.#transport : this.#newTransport());
  }

  /** The person logs in, chooses this, and allows it. Returns what the screen says. */
  async letAllow(person: Person, choice: string): Promise<string> {
    const tab = await stage.enter();
    await tab.goto(String(this.asked));
    await logIn(tab, person);
    await tab.getByRole('heading', { name: 'Connect this app?' }).waitFor();
    const text = await tab.locator('main').innerText();
    await tab.getByLabel(choice).check();
    await tab.getByLabel('I know this app and want to connect it.').check();
    await tab.getByRole('button', { name: 'Allow', exact: true }).click();
    await tab.getByRole('heading', { name: 'Back in the app' }).waitFor();
    await this.#transport.finishAuth(new URL(tab.url()).searchParams);
    return text;
  }

  async tool(name: string, input: Record<string, unknown> = {}) {
    const result = (await this.client.callTool({ name, arguments: input })) as Record<string, unknown>;
    return { ...toAnswer(result), blocks: result.content as { type: string }[] };
  }

  /** Calls a tool that must not fail. */
  async use(name: string, input: Record<string, unknown> = {}) {
    const answer = await this.tool(name, input);
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    return answer;
  }
}

/** How a program finds the MCP server: from the catalog of the service to its card, and from there to its URL. */
async function findServer(): Promise<string> {
  const catalog = (await stage.call('GET', '/.well-known/mcp/catalog.json')).body;
  const card = (await stage.call('GET', new URL(catalog.entries[0].url).pathname)).body;
  return card.remotes[0].url;
}

const CODE = `export default { async fetch(request, env) {
  const { name } = await request.json();
  await env.DB.prepare('INSERT INTO guests (name) VALUES (?)').bind(name).run();
  const { results } = await env.DB.prepare('SELECT name FROM guests ORDER BY id').all();
  return Response.json({ success: true, data: results.map((row) => row.name) });
} };`;

const html = (id: string) => `<!doctype html>
<html lang="en"><head><title>Guests</title></head>
<body data-page-id="{{PAGE_ID}}"><main><h1>Guests</h1><ul id="guests"></ul></main>
<script type="module">
  const { data } = await PageFunctions.call('journey-guests', { name: 'the page' });
  const list = document.getElementById('${id}');
  if (!list) console.error('There is no list');
  list.innerHTML = data.map(() => '<li>A guest</li>').join('');
  console.log(data.length + ' guests');
</script></body></html>`;

test('an agent connects, publishes an app, sees its mistake, fixes it, and others use the app by MCP', async () => {
  const owner = await stage.register('journey-owner');
  const agent = new Agent('Builder', await findServer());
  await expect(agent.connect()).rejects.toBeInstanceOf(UnauthorizedError);
  const asked = await agent.letAllow(owner, 'Build pages and functions');
  expect(asked).toContain('Builder');
  await agent.connect({ isFirst: false });
  const { apps } = (await stage.call('GET', '/api/auth/apps', { token: owner.token })).body;
  expect(apps).toMatchObject([{ name: 'Builder' }]);
  expect(apps[0].scopes).toContain('functions:write');
  expect(apps[0].scopes).not.toContain('social-data:write');

  await agent.use('deploy_function', { slug: 'journey-guests', code: CODE, enableDatabase: true });
  const early = await agent.tool('call_function', { slug: 'journey-guests', body: { name: 'too early' } });
  expect(JSON.stringify(early.data)).toContain('no such table: guests');
  const sql = 'CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT NOT NULL)';
  await agent.use('execute_sql', { slug: 'journey-guests', sql });
  const made = await agent.use('create_page', {
    name: 'Journey guests',
    html_content: html('gusets'),
    storage_mode: 'social_app',
  });
  const { url, version, page } = made.data;
  const { id } = page;
  const agent_functions = [
    {
      slug: 'journey-guests',
      description: 'Adds a guest and lists all.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  ];
  await agent.use('update_page', { id, agent_functions });

  const broken = await agent.use('check_page', { id: String(id) });
  expect(broken.blocks.map(({ type }) => type)).toEqual(['text', 'image']);
  expect(broken.data.console).toMatchObject([{ level: 'error', text: 'There is no list', line: 7 }]);
  expect(broken.data.errors).toMatchObject([{ message: expect.stringContaining('TypeError'), line: 8 }]);
  const change = { id, html_content: html('guests'), base_version: version };
  expect((await agent.use('update_page', change)).data).toMatchObject({ url, version: 2, warnings: [] });
  const fixed = await agent.use('check_page', { id: String(id) });
  expect(fixed.data).toMatchObject({ title: 'Guests', errors: [], failedRequests: [] });
  expect(fixed.data.console).toMatchObject([{ level: 'log', text: '2 guests' }]);
  // For what it was not allowed, the client sends the person to the consent screen again.
  const record = { id: String(id), type: 'social-data', collection: 'notes', data: {} };
  await expect(agent.tool('create_record', record)).rejects.toBeInstanceOf(UnauthorizedError);
  const wanted = agent.asked?.searchParams.get('scope')?.split(' ') ?? [];
  expect(wanted.sort()).toEqual([...apps[0].scopes, 'social-data:write'].sort());
  await agent.client.close();

  const visitor = await stage.register('journey-visitor');
  const visiting = new Agent('Guest', `${url}/mcp`);
  // Nobody in particular can call functions and read public data, but cannot write any.
  await visiting.connect();
  const { data } = await visiting.use('call_journey-guests', { name: 'Nobody' });
  expect(data.body.data).toEqual(['the page', 'the page', 'Nobody']);
  expect((await visiting.use('list_records', { collection: 'notes' })).data.records).toEqual([]);
  const create = () => visiting.use('create_record', { collection: 'notes', data: { text: 'Hello' } });
  await expect(create()).rejects.toBeInstanceOf(UnauthorizedError);
  const screen = await visiting.letAllow(visitor, 'Write public data in your name');
  expect(screen).toContain('“Journey guests”');
  expect(screen).not.toContain('edit and delete pages');
  expect((await create()).data).toMatchObject({ createdBy: { id: visitor.id }, data: { text: 'Hello' } });
  await visiting.client.close();
  for (const path of ['/api/pages', '/api/auth/me', '/api/functions/journey-guests/code'])
    expect([path, (await stage.call('GET', path, { token: visiting.token })).status]).toEqual([path, 401]);
}, 120_000);
