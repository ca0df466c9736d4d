import { afterAll, describe, expect, test } from 'bun:test';
import { functionApp, handler } from '../../support/functions/app.ts';
import { startNpmRegistry } from '../../support/functions/npm-registry.ts';
import { waitUntil } from '../../support/server.ts';

const registry = startNpmRegistry();
const { quire, owner, deploy, call } = await functionApp({ QUIRE_NPM_REGISTRY: registry.url });
afterAll(async () => {
  await quire.stop();
  await registry.stop();
});

let count = 0;
/** Tries to deploy something that is refused. */
async function refused(code: string, files: Record<string, string> = {}) {
  const slug = `refused-${++count}`;
  const { status, body } = await owner.call('POST', '/api/functions', { body: { slug, code, files } });
  expect((await quire.call('GET', `/api/functions/${slug}`)).status).toBe(404);
  return { status, ...body };
}

const TYPESCRIPT = `interface Greeting { text: string }
const greet = (name: string): Greeting => ({ text: "hello " + name });
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(greet(await request.text()));
  },
} satisfies { fetch(request: Request): Promise<Response> };
`;

describe('a function in TypeScript', () => {
  test('runs, and its code is returned as it was sent', async () => {
    const slug = await deploy(TYPESCRIPT);
    expect((await call(slug, 'you')).body).toEqual({ text: 'hello "you"' });
    const { body } = await owner.call('GET', `/api/functions/${slug}/code`);
    expect(body).toEqual({ code: TYPESCRIPT, files: {}, version: 1, folderSeal: expect.any(String) });
  });

  test('is compiled if only a call has types, which JavaScript reads as comparisons', async () => {
    const slug = await deploy(handler('const read = (x) => x; return Response.json(read<string>("typed"))'));
    expect((await call(slug)).body).toBe('typed');
  });

  test('has errors at the line of the source', async () => {
    expect(await refused(TYPESCRIPT.replace('greet(await', 'greet(await await )'))).toMatchObject({
      status: 422,
      code: 'DEPLOY_FAILED',
      error: 'Unexpected ")" (line 5, column 44)',
      line: 5,
      column: 44,
    });
  });

  test('has the error of V8 if the compiler got no further', async () => {
    const { error } = await refused('export default {\n  fetch() { return 1 +; }\n}');
    expect(error).toBe("SyntaxError: Unexpected token ';' (line 2, column 23)");
    // The parenthesis belongs on line 3, though the compiler only misses it on line 4.
    const unclosed = await refused('export default {\n  fetch() {\n    return new Response("hi"\n  },\n};');
    expect(unclosed.error).toBe('SyntaxError: missing ) after argument list (line 3, column 25)');
    const later = await refused(
      'const a = 1 as number;\nexport default {\n  fetch() {\n    return f("hi"\n  },\n};',
    );
    expect(later.error).toBe('Expected ")" but found "}" (line 5, column 3)');
  });

  test('has the error of the compiler if that could read it, but not find an import', async () => {
    const { error } = await refused(`import './lib/a.ts';\n${TYPESCRIPT}`);
    expect(error).toBe('No such module "./lib/a.ts". Add it to files. (line 1, column 8)');
  });

  test('that throws while it loads has the line of the source, in a file too', async () => {
    const thrower =
      'type A = string;\n\nexport const a: A = boom();\nfunction boom(): A {\n  throw new Error("boom");\n}';
    expect(
      await refused(`import { a } from "./lib/a.ts";\n${handler('return new Response(a)')}`, {
        'lib/a.ts': thrower,
      }),
    ).toMatchObject({
      ...{ status: 422, error: 'Error: boom (lib/a.ts, line 5, column 9)' },
      ...{ file: 'lib/a.ts', line: 5, column: 9 },
    });
    const main = await refused(`type A = string;\nconst a: A = "x";\nthrow new Error(a);`);
    expect(main).toMatchObject({ line: 3, column: 7 });
    expect(main.file).toBeUndefined();
  });

  test('without a default export is refused as one in JavaScript', async () => {
    expect((await refused('export const a: string = "x";')).error).toMatch(/no default export/);
  });
});

describe('files of a function', () => {
  const MAIN = `import { shout } from "./lib/shout";
import words from "./words.json";
import page from "./page.html";
import { tag } from "./view.tsx";
${handler('return Response.json([shout(words[0]), page, tag])')}`;
  const FILES = {
    'lib/shout.ts':
      'import { end } from "../end.js";\nexport const shout = (text: string) => text.toUpperCase() + end;',
    'end.ts': 'export const end: string = "!";',
    'words.json': '["hello"]',
    'page.html': '<p>hi',
    'view.tsx': 'const h = (name: string) => name;\n/** @jsx h */\nexport const tag = <b />;',
  };

  test('are modules that the code imports, and are returned as they were sent', async () => {
    const slug = await deploy(MAIN, { files: FILES });
    expect((await call(slug)).body).toEqual(['HELLO!', '<p>hi', 'b']);
    const { body } = await owner.call('GET', `/api/functions/${slug}/code`);
    expect(body).toEqual({ code: MAIN, files: FILES, version: 1, folderSeal: expect.any(String) });
  });

  test('stay if only the code changes, and are replaced or removed with files', async () => {
    const slug = await deploy(MAIN, { files: FILES });
    const patch = async (body: Record<string, unknown>) =>
      (await owner.call('PATCH', `/api/functions/${slug}`, { body })).body.version;
    expect(await patch({ code: MAIN.replace('words[0]', '"again"') })).toBe(2);
    expect((await call(slug)).body[0]).toBe('AGAIN!');
    expect(await patch({ files: { ...FILES, 'end.ts': 'export const end = "?";' } })).toBe(3);
    expect((await call(slug)).body[0]).toBe('AGAIN?');
    expect(await patch({ files: { ...FILES, 'end.ts': 'export const end = "?";' } })).toBe(3);
    expect(await patch({ files: {}, code: handler('return Response.json("alone")') })).toBe(4);
    expect((await call(slug)).body).toBe('alone');
    const restored = await owner.call('POST', `/api/functions/${slug}/versions/1/restore`);
    expect(restored.status).toBe(200);
    expect((await call(slug)).body[0]).toBe('HELLO!');
  });

  test('count towards the limit of the code', async () => {
    const most = 1024 * 1024 - Buffer.byteLength(MAIN) - 'a.txt'.length;
    const files = (bytes: number) => ({ code: MAIN, files: { 'a.txt': 'x'.repeat(bytes) } });
    const over = await owner.call('POST', '/api/functions', { body: { slug: 'over', ...files(most + 1) } });
    expect([over.status, over.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const at = await owner.call('POST', '/api/functions', { body: { slug: 'at-limit', ...files(most) } });
    expect([at.status, at.body.error]).toEqual([
      422,
      expect.stringContaining('No such module "./lib/shout"'),
    ]);
  });

  test('can be 200', async () => {
    const files = (number: number) =>
      Object.fromEntries(Array.from({ length: number }, (_, n) => [`f${n}.ts`, 'export {};']));
    await deploy(handler('return new Response()'), { files: files(200) });
    const { status, body } = await owner.call('POST', '/api/functions', {
      body: { slug: 'many', code: handler(''), files: files(201) },
    });
    expect([status, body.error]).toEqual([400, 'files: has more than 200 files.']);
  });

  test.each([
    '../x.ts',
    '/x.ts',
    'a//x.ts',
    'a/../x.ts',
    '.x.ts',
    'node_modules/zod/index.js',
    'a/node_modules/x.js',
    'function.ts',
    'x.exe',
    'x',
    'a\\x.ts',
    'a b.ts',
    `${'x'.repeat(198)}.ts`,
  ])('cannot have the path %s', async (path) => {
    expect(await refused(handler(''), { [path]: '' })).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  });

  test('cannot be in folders that have the path of a file', async () => {
    for (const files of [{ 'a.ts': '', 'a.ts/b.ts': '' }, { 'function.ts/b.ts': '' }])
      expect(await refused(handler(''), files)).toMatchObject({
        status: 400,
        error: expect.stringContaining('is in a folder that has the path of a file'),
      });
    await deploy(handler('return new Response()'), {
      files: { 'a.ts': '', 'b/a.ts/c.ts': '', 'a/b.ts': '' },
    });
  });

  test('have their name in errors of the compiler', async () => {
    expect(await refused('import "./a.ts";', { 'a.ts': 'const é = 1; let x: = 2;' })).toMatchObject({
      ...{ file: 'a.ts', line: 1, column: 21 },
    });
    const missing = await refused('\nimport { b } from "./lib/b.ts"; b();');
    expect(missing).toMatchObject({ line: 2, column: 19 });
    expect(missing.error).toContain('No such module "./lib/b.ts". Add it to files.');
  });

  test('cannot include files of the machine', async () => {
    for (const path of [
      '/etc/passwd',
      '../../../../../../etc/passwd',
      '/proc/self/environ',
      'file:///etc/passwd',
    ])
      expect((await refused(`import x from "${path}" with { type: "text" }; ${handler('')}`)).status).toBe(
        422,
      );
  });

  test('that are nested too deeply are refused, and the server goes on', async () => {
    const { status, error } = await refused(`export const a: unknown = ${'['.repeat(900_000)}`);
    expect([status, error]).toEqual([422, expect.any(String)]);
    expect((await quire.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('what a compiled function throws and prints', () => {
  const files = {
    'lib/fail.ts':
      'export interface A { a: string }\n\nexport function fail(a: A): never {\n  throw new Error(a.a);\n}',
  };
  const code = `import { fail } from "./lib/fail.ts";
type Unused = string;
export default {
  async fetch(request: Request): Promise<Response> {
    if ((await request.text()).includes("print")) console.error(new Error("printed").stack);
    return fail({ a: "thrown" });
  },
};`;

  test('has the places of the source in a scheduled run that the owner starts', async () => {
    const slug = await deploy(
      'type A = string;\nexport default {\n  async scheduled(): Promise<void> {\n    throw new Error("late");\n  },\n};',
    );
    const { body } = await owner.call('POST', `/api/functions/${slug}/schedules/run`);
    expect(body.exception.stack).toContain('function.ts:4:11');
  });

  test('has the places of the source, in a test call and in the log, also after a redeploy', async () => {
    const slug = await deploy(code, { files });
    const tested = await owner.call('POST', `/api/functions/${slug}/test`, { body: 'print' });
    const frames = (stack: string) => stack.match(/\S+\.ts:\d+:\d+/g);
    expect(frames(tested.body.exception.stack)).toEqual(['(lib/fail.ts:4:9', '(function.ts:6:12']);
    expect(frames(tested.body.logs[0].message)).toEqual(['(function.ts:5:65']);
    expect((await call(slug)).status).toBe(500);
    await owner.call('PATCH', `/api/functions/${slug}`, { body: { code: `\n\n${code}` } });
    expect((await call(slug)).status).toBe(500);
    // A place is looked up in the source map after the call has its response.
    let thrown: Array<{ message: string }> = [];
    await waitUntil(async () => {
      const { logs } = (await owner.call('GET', `/api/functions/${slug}/logs`)).body;
      thrown = logs.filter(({ kind }: { kind: string }) => kind === 'exception');
      return thrown.length === 3;
    });
    expect(thrown.map(({ message }) => frames(message)?.at(1))).toEqual([
      '(function.ts:6:12',
      '(function.ts:6:12',
      '(function.ts:8:12',
    ]);
  });
});
