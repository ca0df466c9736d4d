import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toAnswer } from '../support/agents/mcp.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { handler } from '../support/functions/app.ts';
import { register } from '../support/http/client.ts';
import { freePort, startServer, type TestServer } from '../support/server.ts';

/** The official client over standard input and output. */

const MAIN = join(import.meta.dir, '../../bin/launch.ts');
const REVISIONS: [string, ClientOptions][] = [
  ['a handshake', { versionNegotiation: { mode: 'legacy' } }],
  ['revision 2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

let server: TestServer;
let shell: Shell;
let token: string;
beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  ({ token } = await register(server, 'ada'));
  shell = openShell();
  await shell.run(['login', server.baseUrl, '--token', '-'], { stdin: token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

async function connect(options: ClientOptions): Promise<Client> {
  const client = new Client({ name: 'quire-tests', version: '1.0.0' }, options);
  const env = Object.fromEntries(Object.entries(shell.env).map(([name, value]) => [name, value ?? '']));
  const args = [MAIN, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return client;
}

test.each(REVISIONS)('a client with %s uses tools, resources and prompts', async (_, options) => {
  const client = await connect(options);
  expect(client.getServerVersion()).toMatchObject({ name: 'quire' });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('create_page');
  const page = { name: 'Über uns – 页', html_content: '<p>\u2028 one line' };
  const made = toAnswer(await client.callTool({ name: 'create_page', arguments: page }));
  const { contents } = await client.readResource({ uri: `quire://pages/${made.data.page.id}` });
  expect(contents[0]).toMatchObject({ text: expect.stringContaining('Über uns') });
  const prompt = await client.getPrompt({ name: 'publish_page', arguments: { idea: 'bees' } });
  expect(JSON.stringify(prompt.messages)).toContain('bees');
  await client.close();
});

test.each(REVISIONS)('progress and cancellation pass through with %s', async (_, options) => {
  const client = await connect(options);
  const slug = `slow-${options.versionNegotiation?.mode === 'legacy' ? 'old' : 'new'}`;
  const code = handler("console.log('called'); await new Promise((done) => setTimeout(done, 20_000));");
  await client.callTool({ name: 'deploy_function', arguments: { slug, code } });
  const controller = new AbortController();
  const seen: unknown[] = [];
  const call = client.callTool(
    { name: 'call_function', arguments: { slug } },
    {
      signal: controller.signal,
      onprogress: (progress) => {
        seen.push(progress);
        controller.abort('enough');
      },
    },
  );
  expect(await call.catch((error: unknown) => error)).toBeInstanceOf(Error);
  expect(seen).toMatchObject([{ progress: 0, message: 'The function is running' }]);
  // The function's log says that its caller left, long before the function would have ended.
  for (let logs = ''; !logs.includes('The caller left'); ) {
    logs = JSON.stringify(await client.callTool({ name: 'read_function_logs', arguments: { slug } }));
  }
  await client.close();
});

test('a line that is not a message gets an error, and the next one is answered', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const stdin = `nonsense\n[]\n\n${JSON.stringify(ping)}\n`;
  const { code, stdout } = await shell.run(['mcp'], { stdin });
  expect(code).toBe(0);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const expected = [
    { id: null, error: { code: -32_700 } },
    { id: null, error: { code: -32_700 } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ];
  expect(answers).toMatchObject(expected);
});

test('a server that does not answer, or refuses the login, is an error for the client', async () => {
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'ping' })}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`;
  const runMcp = async (env: Record<string, string>) => {
    const { stdout, stderr } = await shell.run(['mcp'], { stdin, env });
    return { answer: JSON.parse(stdout), stderr };
  };
  const absent = await runMcp({ QUIRE_URL: `http://localhost:${await freePort()}`, QUIRE_TOKEN: 'qr_x' });
  expect(absent.answer).toMatchObject({
    id: 'a',
    error: { message: expect.stringContaining('Cannot connect') },
  });
  const refused = await runMcp({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: 'qr_nonsense' });
  expect(refused.answer).toMatchObject({ id: 'a', error: { message: expect.stringContaining('token') } });
  expect(refused.stderr).toContain('token');
});

test('without a login it says how to log in', async () => {
  const { code, stdout, stderr } = await shell.run(['mcp'], { stdin: '', env: { HOME: '/nonexistent' } });
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('quire login');
});
