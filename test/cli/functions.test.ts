import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let ada: Account;
let eve: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({
    settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' },
  });
  [ada, eve] = [await register(server, 'ada'), await register(server, 'eve')];
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
  write(
    'echo.js',
    `export default {
  async fetch(request, env) {
    const body = await request.text();
    console.log('heard', body, env.WORD ?? 'no word');
    if (request.method === 'GET') return new Response(new URL(request.url).pathname);
    if (body === '"fail"') return Response.json({ success: false, error: 'as you wish' }, { status: 418 });
    return Response.json({ success: true, data: body && JSON.parse(body), word: env.WORD ?? null });
  },
};
`,
  );
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const write = (name: string, text: string) => writeFileSync(join(shell.folder, name), text);

test('pushes a file as a function, and changes only what differs the second time', async () => {
  const created = await shell.json(['functions', 'push', 'echo.js', '--database', '--name', 'Echo']);
  expect(created).toMatchObject({ action: 'created', slug: 'echo', hasDatabase: true, isPublic: true });
  expect((await shell.json(['functions', 'push', 'echo.js'])).action).toBe('unchanged');
  expect(await shell.json(['functions', 'push', 'echo.js', '--private'])).toMatchObject({
    action: 'updated',
    isPublic: false,
  });
  const { functions } = await shell.json(['functions', 'list']);
  expect(functions).toMatchObject([{ slug: 'echo', displayName: 'Echo', isPublic: false }]);
  const everybodys = await shell.json(['functions', 'list', '--public']);
  expect(everybodys.functions).toMatchObject([{ slug: 'unfurl-url', owner: 'system' }]);

  expect((await shell.run(['functions', 'pull', 'echo', '-'])).stdout).toBe(
    readFileSync(join(shell.folder, 'echo.js'), 'utf8'),
  );
  write('other.js', '// mine\n');
  expect((await shell.run(['functions', 'pull', 'echo', 'other.js'])).code).toBe(5);
  expect((await shell.run(['functions', 'pull', 'echo', 'other.js', '--force'])).code).toBe(0);
  expect(readFileSync(join(shell.folder, 'other.js'), 'utf8')).toContain('as you wish');
});

test('calls a function and prints the response; a status of 400 or more exits with 1, no function with 4', async () => {
  const { code, stdout } = await shell.run(['functions', 'call', 'echo', '{"a":1}']);
  expect({ code, answer: JSON.parse(stdout) }).toEqual({
    code: 0,
    answer: { success: true, data: { a: 1 }, word: null },
  });
  const failed = await shell.run(['functions', 'call', 'echo', '-'], { stdin: '"fail"' });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^\S+ log {3}heard "fail" no word\necho responded with status 418\.\n$/);
  const plain = await shell.run(['functions', 'call', 'echo', '-', '--plain'], { stdin: '"fail"' });
  expect(plain).toMatchObject({
    code: 1,
    stdout: failed.stdout,
    stderr: 'echo responded with status 418.\n',
  });
  expect(JSON.parse(failed.stdout).error).toBe('as you wish');
  const asJson = await shell.run(['functions', 'call', 'echo', '"fail"', '--json']);
  expect(asJson.json()).toMatchObject({
    status: 418,
    body: { success: false, error: 'as you wish' },
    exception: null,
    logs: [{ level: 'log', message: 'heard "fail" no word' }],
  });
  write('thrower.js', 'export default {\n  fetch() {\n    throw new Error("no luck");\n  },\n};\n');
  await shell.json(['functions', 'push', 'thrower.js']);
  const thrown = await shell.run(['functions', 'call', 'thrower']);
  expect(thrown.stderr).toMatch(/^Error: no luck\n {4}at .*function\.js:3:11/);
  expect(thrown.stdout).not.toContain('no luck');
  expect((await shell.run(['functions', 'call', 'echo', '{a:1}'])).code).toBe(2);
  for (const how of [[], ['--plain'], ['--get']]) {
    const unknown = await shell.run(['functions', 'call', 'nothing', ...how]);
    expect(unknown).toMatchObject({ code: 4, stdout: '', stderr: 'This function was not found.\n' });
  }
  // A function that responds with 404 is there.
  write('missing.js', 'export default { fetch: () => new Response("none", { status: 404 }) };\n');
  await shell.json(['functions', 'push', 'missing.js']);
  for (const how of [[], ['--plain'], ['--get']]) {
    const missing = await shell.run(['functions', 'call', 'missing', ...how]);
    expect(missing).toMatchObject({
      code: 1,
      stdout: 'none',
      stderr: 'missing responded with status 404.\n',
    });
  }
  const got = await shell.run(['functions', 'call', 'echo', '--get', '--path', '/some/where']);
  expect(got).toMatchObject({ code: 0, stdout: '/some/where' });
});

test('shows a module that does not load like a compiler, and changes nothing', async () => {
  write('broken.js', 'export default {\n  fetch() {\n    return new Response(];\n  },\n};\n');
  const { code, stdout, stderr } = await shell.run(['functions', 'push', 'broken.js', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'DEPLOY_FAILED',
    status: 422,
    file: 'broken.js',
    line: 3,
    column: 25,
  });
  const [head, source, caret] = stderr.split('\n');
  expect(head).toMatch(/^broken\.js:3:25: .*SyntaxError/);
  expect(source).toBe('3 |     return new Response(];');
  expect(caret?.indexOf('^')).toBe(source?.indexOf(']'));
  expect((await shell.run(['functions', 'logs', 'broken'])).code).toBe(4);
});

test('says what a call could not do', async () => {
  write('makes-code.js', "export default {\n  fetch: () => new Response(eval('1')),\n};\n");
  const { code, stdout, stderr } = await shell.run(['functions', 'push', 'makes-code.js']);
  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(/warning: eval works only while the module loads\..*\(line 2, column 29\)/);
  expect((await shell.run(['functions', 'delete', 'makes-code', '--yes'])).code).toBe(0);
});

test('reads secrets from standard input, and lists only their names', async () => {
  const set = await shell.run(['functions', 'secrets', 'set', 'echo', 'WORD'], { stdin: 'abracadabra\n' });
  expect(set.code).toBe(0);
  expect(set.stdout + set.stderr).not.toContain('abracadabra');
  expect(await shell.json(['functions', 'secrets', 'list', 'echo'])).toEqual({ secrets: [{ name: 'WORD' }] });
  expect((await shell.json(['functions', 'call', 'echo', '1'])).body.word).toBe('abracadabra');
  expect((await shell.run(['functions', 'secrets', 'set', 'echo', 'WORD'], { stdin: '' })).code).toBe(2);
  expect((await shell.run(['functions', 'secrets', 'set', 'echo', 'word'], { stdin: 'x' })).code).toBe(1);
  expect((await shell.run(['functions', 'secrets', 'delete', 'echo', 'WORD'])).code).toBe(0);
  expect((await shell.run(['functions', 'secrets', 'delete', 'echo', 'WORD'])).code).toBe(4);
});

test('runs SQL: a statement, a script and a table', async () => {
  const script =
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);\nINSERT INTO notes (text) VALUES ('a;b'), (NULL);";
  const ran = await shell.run(['functions', 'sql', 'echo', '--json'], { stdin: script });
  expect(
    ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).meta.changes),
  ).toEqual([0, 2]);
  const query = ['functions', 'sql', 'echo', 'SELECT * FROM notes WHERE id <= ? ORDER BY id', '--param', '2'];
  expect((await shell.json(query)).results).toEqual([
    { id: 1, text: 'a;b' },
    { id: 2, text: null },
  ]);
  expect((await shell.run(query)).stdout).toBe('id  text\n 1  a;b\n 2\n');
  const wrong = await shell.run(['functions', 'sql', 'echo', 'SELECT * FROM nowhere', '--json']);
  expect(wrong.code).toBe(1);
  expect(wrong.json()).toMatchObject({ code: 'INVALID_SQL', error: expect.stringContaining('nowhere') });
});

test('shows a log, and follows it', async () => {
  const following = shell.start(['functions', 'logs', 'echo', '--follow', '--json', '--limit', '1']);
  await following.until(/"kind"/);
  expect((await shell.run(['functions', 'call', 'echo', '"over here"'])).code).toBe(0);
  await following.until(/heard .*over here/);
  const { code, stdout } = await following.interrupt();
  expect(code).toBe(0);
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  const shown = await shell.run(['functions', 'logs', 'echo']);
  expect(shown.stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}call 418 in \d+ ms$/m);
  expect((await shell.run(['functions', 'logs', 'echo', '--limit', '0'])).code).toBe(1);
  expect((await shell.run(['functions', 'logs', 'nothing', '--follow'])).code).toBe(4);
});

test("pushes the function of a folder with the settings in page.json, and refuses someone else's", async () => {
  const folder = join(shell.folder, 'with-function');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), '<p>x');
  writeFileSync(
    join(folder, 'page.json'),
    JSON.stringify({ function: { slug: 'in-folder', isPublic: true } }),
  );
  expect((await shell.run(['functions', 'push', 'with-function'])).code).toBe(4);
  writeFileSync(join(folder, 'function.js'), 'export default { fetch: () => new Response("x") }');
  expect(await shell.json(['functions', 'push', 'with-function'])).toMatchObject({
    action: 'created',
    slug: 'in-folder',
  });
  const asEve = { env: { QUIRE_TOKEN: eve.token } };
  const refused = await shell.run(['functions', 'push', 'with-function'], asEve);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('in-folder') });
  expect((await shell.run(['functions', 'delete', 'in-folder', '--yes'], asEve)).code).toBe(3);
  expect((await shell.run(['functions', 'delete', 'in-folder'])).code).toBe(2);
  expect(await shell.json(['functions', 'delete', 'in-folder', '--yes'])).toEqual({ deleted: 'in-folder' });
  expect((await shell.run(['functions', 'delete', 'in-folder', '--yes'])).code).toBe(4);
});

test('lists, replaces and runs schedules', async () => {
  write(
    'nightly.js',
    `export default { scheduled({ cron }, env) { console.log('for', cron); if (cron[0] === '1') throw new Error('no'); } };`,
  );
  await shell.json(['functions', 'push', 'nightly.js']);
  const schedules = (...more: string[]) => shell.json(['functions', 'schedules', 'nightly', ...more]);
  expect((await schedules()).schedules).toEqual([]);
  const set = await schedules('--set', '0 3 * * *', '--set', '15 4 * * 1', '--timezone', 'Europe/Berlin');
  expect(set.schedules).toMatchObject([
    { cron: '0 3 * * *', timezone: 'Europe/Berlin', lastRun: null },
    { cron: '15 4 * * 1', timezone: 'Europe/Berlin', lastRun: null },
  ]);
  const run = await shell.run(['functions', 'run', 'nightly']);
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('for 0 3 * * *') });
  expect(run.stdout).toMatch(/^nightly: ok in \d+ ms/);
  const failed = await shell.run(['functions', 'run', 'nightly', '--cron', '15 4 * * 1']);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Error: no') });
  expect((await shell.run(['functions', 'schedules', 'nightly'])).stdout).toMatch(/0 3 \* \* \*.* ok/);
  expect((await shell.run(['functions', 'schedules', 'nightly', '--set', '61 * * * *'])).code).toBe(1);
  expect((await shell.run(['functions', 'schedules', 'nightly', '--timezone', 'UTC'])).code).toBe(2);
  expect((await schedules('--clear')).schedules).toEqual([]);
});

test('lists, replaces and pulls triggers, and pushes them once', async () => {
  write('changed.js', 'export default { queue() {} };');
  await shell.json(['functions', 'push', 'changed.js']);
  const triggers = (...more: string[]) => shell.json(['functions', 'triggers', 'changed', ...more]);
  expect((await triggers()).on).toEqual([]);
  const all = ['create', 'update', 'delete'];
  const on = [
    { collection: 'orders', actions: all },
    { collection: 'people', actions: ['create', 'delete'] },
  ];
  expect((await triggers('--set', 'orders', '--set', 'people:delete,create')).on).toEqual(on);
  const url = 'https://example.com/hook';
  expect((await triggers('--set', 'orders', '--url', url)).on).toEqual([
    { collection: 'orders', actions: all, url, secret: expect.stringContaining('whsec_') },
  ]);
  expect((await shell.run(['functions', 'triggers', 'changed'])).stdout).toContain('create, update, delete');
  const mixed = [
    '--set',
    'orders',
    '--set',
    `orders:create=${url}?to=a:b`,
    '--set',
    'people=http://other.example/',
  ];
  expect((await triggers(...mixed)).on).toMatchObject([
    { collection: 'orders', actions: all },
    { collection: 'orders', actions: ['create'], url: `${url}?to=a:b` },
    { collection: 'people', actions: all, url: 'http://other.example/' },
  ]);
  await triggers('--set', 'orders', '--url', url);
  expect((await shell.run(['functions', 'triggers', 'changed', '--set', 'orders:read'])).code).toBe(2);
  expect((await shell.run(['functions', 'triggers', 'changed', '--set', 'orders='])).code).toBe(2);
  expect((await shell.run(['functions', 'triggers', 'changed', '--url', url])).code).toBe(2);
  await shell.json(['functions', 'pull', 'changed', 'pulled']);
  const settings = join(shell.folder, 'pulled', 'function.json');
  const pulled = JSON.parse(readFileSync(settings, 'utf8'));
  expect(pulled.on).toEqual([{ collection: 'orders', actions: all, url }]);
  const push = async () => (await shell.json(['functions', 'push', 'pulled'])).action;
  expect(await push()).toBe('unchanged');
  writeFileSync(settings, JSON.stringify({ ...pulled, on }));
  expect([await push(), await push()]).toEqual(['updated', 'unchanged']);
  expect((await triggers('--clear')).on).toEqual([]);
});

test('lists jobs, shows and deletes one, and tries failed ones again', async () => {
  write(
    'queued.js',
    `export default {
      async fetch(request, env) { await env.QUEUE.send({ n: 7 }, { delaySeconds: 600 }); return new Response('sent'); },
      queue() {} };`,
  );
  await shell.json(['functions', 'push', 'queued.js']);
  const jobs = (...more: string[]) => shell.json(['functions', 'jobs', 'queued', ...more]);
  expect(await jobs()).toMatchObject({ waiting: 0, failed: 0, jobs: [] });
  await shell.run(['functions', 'call', 'queued']);
  const waiting = await jobs('--waiting');
  expect(waiting).toMatchObject({ waiting: 1, jobs: [{ preview: '{"n":7}', state: 'waiting' }] });
  const id = String(waiting.jobs[0].id);
  expect((await shell.run(['functions', 'jobs', 'queued', '--waiting'])).stdout).toContain('{"n":7}');
  expect((await shell.run(['functions', 'jobs', 'queued', '--show', id])).stdout.trim()).toBe('{"n":7}');
  expect((await shell.run(['functions', 'jobs', 'queued', '--retry', '--id', id])).code).toBe(5);
  expect((await shell.run(['functions', 'jobs', 'queued', '--id', id])).code).toBe(2);
  expect(await jobs('--delete', '--id', id)).toMatchObject({ deleted: 1 });
  expect(await jobs('--retry')).toMatchObject({ retried: 0 });
});

test('pushes schedules of page.json once, and changes them with it', async () => {
  const folder = join(shell.folder, 'planned');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), '<p>x');
  writeFileSync(join(folder, 'function.js'), 'export default { scheduled() {} };');
  const save = (schedules: unknown) =>
    writeFileSync(join(folder, 'page.json'), JSON.stringify({ function: { slug: 'planned', schedules } }));
  const push = async () => (await shell.json(['functions', 'push', 'planned'])).action;
  save([{ cron: '0 3 * * *' }]);
  expect([await push(), await push()]).toEqual(['created', 'unchanged']);
  save([{ cron: '0 3 * * *', timezone: 'Asia/Tokyo' }]);
  expect([await push(), await push()]).toEqual(['updated', 'unchanged']);
  const { schedules } = await shell.json(['functions', 'schedules', 'planned']);
  expect(schedules).toMatchObject([{ cron: '0 3 * * *', timezone: 'Asia/Tokyo' }]);
});

test('lists, compares and restores versions', async () => {
  const code = (word: string) => `export default {\n  fetch: () => new Response('${word}'),\n};\n`;
  write('history.js', code('one'));
  await shell.json(['functions', 'push', 'history.js']);
  expect((await shell.run(['functions', 'diff', 'history'])).code).toBe(4);
  write('history.js', code('two'));
  expect(await shell.json(['functions', 'push', 'history.js'])).toMatchObject({ action: 'updated' });
  const listed = await shell.run(['functions', 'versions', 'history']);
  expect(listed.stdout).toMatch(/^version +created \(UTC\) +bytes\n +2 .* current\n +1 .*\d\n$/);

  const change = (from: number, to: number, [old, now]: [string, string]) =>
    [
      `--- history@${from}`,
      `+++ history@${to}`,
      '@@ -1,3 +1,3 @@',
      ' export default {',
      `-  fetch: () => new Response('${old}'),`,
      `+  fetch: () => new Response('${now}'),`,
      ' };',
    ].join('\n');
  expect((await shell.run(['functions', 'diff', 'history'])).stdout).toBe(
    `${change(1, 2, ['one', 'two'])}\n`,
  );
  expect((await shell.json(['functions', 'diff', 'history', '2', '1'])).diff).toBe(
    change(2, 1, ['two', 'one']),
  );

  const restored = await shell.run(['functions', 'restore', 'history', '1']);
  expect(restored.stdout).toBe('Version 1 is back, as version 3.\n');
  expect((await shell.run(['functions', 'pull', 'history', '-'])).stdout).toBe(code('one'));
  const same = await shell.run(['functions', 'diff', 'history', '1']);
  expect(same.stdout).toBe('Versions 1 and 3 are the same.\n');
  for (const [args, exit] of [
    [['restore', 'history', '9'], 4],
    [['restore', 'history', 'x'], 2],
    [['diff', 'history', '1', '0'], 2],
    [['versions', 'no-such-function'], 4],
  ] as const) {
    expect([args, (await shell.run(['functions', ...args])).code]).toEqual([args, exit]);
  }
});
