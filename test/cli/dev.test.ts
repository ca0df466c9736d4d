import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let token: string;
let shell: Shell;
let folder: string;

beforeAll(async () => {
  server = await startServer({
    settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' },
  });
  ({ token } = await register(server, 'ada'));
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token });
  folder = join(shell.folder, 'site');
  mkdirSync(folder);
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

test('pushes every save, shows errors at their line, and ends cleanly with Ctrl-C', async () => {
  write('index.html', '<!doctype html><title>Site</title><h1>One</h1>');
  write('page.json', '{ "name": "Site", "slug": "the-site", "function": { "slug": "site-fn" } }');
  write('function.js', "export default { fetch() { console.log('called'); return new Response('one'); } }");
  const dev = shell.start(['dev', 'site', '--live']);
  await dev.until(/created .*\/p\/the-site \(version 1\)/);
  await dev.until(/Watching/, 'stderr');

  write('index.html', '<!doctype html><title>Site</title><h1>Two</h1>');
  await dev.until(/updated .*\/p\/the-site \(version 2\)/);
  expect(await (await fetch(`${server.baseUrl}/p/the-site`)).text()).toContain('Two');

  // Many editors save like this: they write another file and move it into place.
  write('index.html~', '<!doctype html><title>Site</title><h1>Three</h1>\n<script>\nlet x = ;\n</script>');
  renameSync(join(folder, 'index.html~'), join(folder, 'index.html'));
  await dev.until(/version 3\)/);
  await dev.until(/site\/index\.html:3:9: warning: .*\n3 \| let x = ;\n {12}\^/, 'stderr');

  write('function.js', 'export default {\n  fetch() { return new Response(; }\n}');
  await dev.until(/site\/function\.js:2:33: /, 'stderr');
  write('page.json', '{ "name": "Site", }');
  await dev.until(/site\/page\.json:1:19: /, 'stderr');
  const { body } = await call(server, 'POST', '/api/functions/site-fn');
  expect(body).toBe('one');
  await dev.until(/log {3}called/);

  write('page.json', '{ "name": "The site", "slug": "the-site", "function": { "slug": "site-fn" } }');
  write('function.js', "export default { fetch: () => new Response('two') }");
  await dev.until(/version 3\)[\s\S]*updated .*version 3\)/);
  const { code, stderr } = await dev.interrupt();
  expect(code).toBe(0);
  expect(stderr).not.toContain(token);
  expect((await call(server, 'POST', '/api/functions/site-fn')).body).toBe('two');
});

test('refuses to watch something that is not a folder', async () => {
  expect((await shell.run(['dev', 'nowhere'])).code).toBe(4);
});
