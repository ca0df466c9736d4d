import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type NpmRegistry, startNpmRegistry } from '../support/functions/npm-registry.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let registry: NpmRegistry;
let server: TestServer;
let shell: Shell;

beforeAll(async () => {
  registry = startNpmRegistry();
  registry.add({ name: 'loud', files: { 'index.js': 'export const loud = (text) => text + "!";' } });
  server = await startServer({
    settings: {
      QUIRE_LOG_LEVEL: 'silent',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      QUIRE_NPM_REGISTRY: registry.url,
    },
  });
  const { token } = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
  await registry.stop();
});

const at = (name: string) => join(shell.folder, name);
function write(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}
const answer = async (slug: string) => (await call(server, 'POST', `/api/functions/${slug}`)).body;

const MAIN = `import { loud } from "npm:loud@1";
import { word } from "./api/word.ts";
export default {
  async fetch(request: Request): Promise<Response> {
    return new Response(loud(word));
  },
};
`;

test('pushes a file with the modules beside it, shows errors in them, and pulls them again', async () => {
  write('api.ts', MAIN);
  write('api/word.ts', 'export const word: string = "hello";\n');
  write('api/.env', 'SECRET=1');
  expect(await shell.json(['functions', 'push', 'api.ts'])).toMatchObject({ action: 'created', slug: 'api' });
  expect(await answer('api')).toBe('hello!');
  expect((await shell.json(['functions', 'push', 'api.ts'])).action).toBe('unchanged');

  write('api/word.ts', 'export const word: string = ;\n');
  const { code, stdout, stderr } = await shell.run(['functions', 'push', 'api.ts', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ file: 'api/word.ts', line: 1, column: 29 });
  expect(stderr).toMatch(/^api\/word\.ts:1:29: Unexpected ";"\n1 \| export const word: string = ;\n/);
  write('api/word.ts', 'export const word: string = "changed";\n');
  expect((await shell.json(['functions', 'push', 'api.ts'])).action).toBe('updated');
  expect(await answer('api')).toBe('changed!');

  mkdirSync(at('copy'));
  const pulled = await shell.json(['functions', 'pull', 'api', 'copy/api.ts']);
  expect(pulled).toMatchObject({ file: 'copy/api.ts', files: ['api.ts', 'api/word.ts'] });
  for (const name of ['api.ts', 'api/word.ts'])
    expect(readFileSync(at(`copy/${name}`), 'utf8')).toBe(readFileSync(at(name), 'utf8'));
  write('copy/api/word.ts', '// mine');
  expect((await shell.run(['functions', 'pull', 'api', 'copy/api.ts'])).code).toBe(5);
});

test('pushes a folder that has only a function, named after it', async () => {
  write('alone/function.ts', MAIN.replace('./api/', './function/'));
  write('alone/function/word.ts', 'export const word: string = "alone";');
  expect(await shell.json(['functions', 'push', 'alone'])).toMatchObject({ slug: 'alone' });
  expect(await answer('alone')).toBe('alone!');
});

test('publishes a page with a function in TypeScript, whose modules are not files of the page', async () => {
  write('site/index.html', '<!doctype html><title>Site</title>');
  write('site/style.css', 'p {}');
  write('site/page.json', '{ "slug": "site", "function": { "slug": "site-fn" } }');
  write('site/function.ts', MAIN.replace('./api/', './function/'));
  write('site/function/word.ts', 'export const word: string = "site";');
  const { page, files } = await shell.json(['pages', 'push', 'site']);
  expect(files).toMatchObject({ total: 1 });
  expect(await answer('site-fn')).toBe('site!');
  for (const path of ['function.ts', 'function/word.ts'])
    expect((await fetch(`${server.baseUrl}/p/${page.slug}/${path}`)).status).toBe(404);

  await shell.json(['pages', 'pull', 'site', 'pulled']);
  for (const name of ['function.ts', 'function/word.ts'])
    expect(readFileSync(at(`pulled/functions/site-fn/${name}`), 'utf8')).toBe(
      readFileSync(at(`site/${name}`), 'utf8'),
    );
  expect(existsSync(at('pulled/functions/site-fn/function.js'))).toBe(false);

  const dev = shell.start(['dev', 'site', '--live']);
  await dev.until(/Watching/, 'stderr');
  write('site/function/word.ts', 'export const word: string = "a" b;');
  await dev.until(/site\/function\/word\.ts:1:33: /, 'stderr');
  write('site/function/word.ts', 'export const word: string = "saved";');
  await dev.until(/updated/);
  expect(await answer('site-fn')).toBe('saved!');
  expect((await dev.interrupt()).code).toBe(0);
});

test('does not send what a link leads to, or two main modules', async () => {
  write('outside.ts', 'export const word = "secret";');
  write('linked/function.ts', MAIN.replace('./api/', './function/'));
  mkdirSync(at('linked/function'));
  symlinkSync(at('outside.ts'), at('linked/function/word.ts'));
  const linked = await shell.run(['functions', 'push', 'linked']);
  expect([linked.code, linked.stderr]).toEqual([1, expect.stringContaining('links outside its folder')]);
  write('both/function.ts', '');
  write('both/function.js', '');
  const { code, stderr } = await shell.run(['functions', 'push', 'both']);
  expect([code, stderr]).toEqual([1, 'both has both function.ts and function.js. Remove one of them.\n']);
});

test('pushes package.json, tsconfig.json and WebAssembly with the code that uses them, and pulls them', async () => {
  registry.add({
    name: 'page-maker',
    files: {
      'index.js': 'export const title = "made";',
      'jsx-runtime.js': 'export const jsx = (tag, { children }) => tag + ": " + children;',
    },
    about: { exports: { '.': './index.js', './jsx-runtime': './jsx-runtime.js' } },
  });
  const json = '{ "dependencies": { "page-maker": "^1.0.0", "left-out": "1" } }';
  write('project/package.json', json);
  write(
    'project/tsconfig.json',
    '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "page-maker" } }',
  );
  write(
    'project/site.tsx',
    `import { title } from "page-maker";
import add from "./site/add.wasm";
const { exports } = new WebAssembly.Instance(add);
export default { fetch: () => new Response(<p>{title + (exports.add as any)(2, 3)}</p>) };
`,
  );
  const wasm = Buffer.from('AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=', 'base64');
  mkdirSync(at('project/site'));
  writeFileSync(at('project/site/add.wasm'), wasm);
  expect((await shell.json(['functions', 'push', 'project/site.tsx'])).action).toBe('created');
  expect(await answer('site')).toBe('p: made5');
  expect((await shell.json(['functions', 'push', 'project/site.tsx'])).action).toBe('unchanged');

  mkdirSync(at('fetched'));
  await shell.json(['functions', 'pull', 'site', 'fetched/site.tsx']);
  expect(readFileSync(at('fetched/package.json'), 'utf8')).toBe(json);
  expect(readFileSync(at('fetched/site/add.wasm'))).toEqual(wasm);

  write('both-kinds/index.html', '<!doctype html><title>Both kinds</title>');
  write('both-kinds/page.json', '{ "slug": "both-kinds", "function": { "slug": "both-fn" } }');
  write(
    'both-kinds/function.ts',
    'import { title } from "page-maker"; export default { fetch: () => new Response(title) };',
  );
  write('both-kinds/package.json', json);
  const { files, left } = await shell.json(['pages', 'push', 'both-kinds']);
  expect([files, left]).toEqual([undefined, []]);
  expect(await answer('both-fn')).toBe('made');
  await shell.json(['pages', 'pull', 'both-kinds', 'both-copy']);
  expect(readFileSync(at('both-copy/functions/both-fn/package.json'), 'utf8')).toBe(json);
  expect(await shell.json(['pages', 'push', 'both-copy'])).toMatchObject({ action: 'unchanged' });

  write('project/other.ts', 'export default { fetch: () => new Response("alone") };');
  await shell.json(['functions', 'push', 'project/other.ts']);
  await shell.json(['functions', 'pull', 'other', 'fetched/other.ts']);
  expect(await answer('other')).toBe('alone');
});
