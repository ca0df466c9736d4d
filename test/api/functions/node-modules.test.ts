import { afterAll, describe, expect, test } from 'bun:test';
import { NODE_MODULES } from '../../../server/runtime/bundler/node-modules.ts';
import { functionApp, handler } from '../../support/functions/app.ts';
import { startNpmRegistry } from '../../support/functions/npm-registry.ts';

const registry = startNpmRegistry();
const { quire, deploy, call } = await functionApp({ QUIRE_NPM_REGISTRY: registry.url });
afterAll(async () => {
  await quire.stop();
  await registry.stop();
});

const ALL = JSON.stringify(NODE_MODULES);

describe('modules of Node.js', () => {
  test('are those that the runtime has', async () => {
    const code = `import { builtinModules } from "node:module"; ${handler('return Response.json(builtinModules)')}`;
    expect((await call(await deploy(code))).body.sort()).toEqual(NODE_MODULES.toSorted());
  });

  test('are there in compiled code, with and without their prefix', async () => {
    const imports = NODE_MODULES.flatMap((name, index) => [
      `import * as a${index} from "${name}";`,
      `import * as b${index} from "node:${name}";`,
    ]);
    const same = `${ALL}.filter((_, index) => all[2 * index].default !== all[2 * index + 1].default)`;
    const all = NODE_MODULES.map((_, index) => `a${index}, b${index}`);
    const code = `${imports.join('\n')}\nconst all: any[] = [${all}];\n${handler(`return Response.json(${same})`)}`;
    expect((await call(await deploy(code))).body).toEqual([]);
  });

  test('can be required by packages, for what they may never do', async () => {
    registry.add({
      name: 'does-much',
      about: { type: 'commonjs' },
      files: {
        'index.js': `const names = ${ALL};
const found = [${NODE_MODULES.flatMap((name) => [`require("${name}")`, `require("node:${name}")`])}];
exports.missing = names.filter((_, index) => !found[2 * index] || found[2 * index] !== found[2 * index + 1]);
exports.test = typeof require("node:test");
exports.where = [__dirname, __filename];
exports.keep = () => {
  require("fs").writeFileSync(require("path").join(require("os").tmpdir(), "x"), "kept for this call");
  return require("node:fs").readFileSync("/tmp/x", "utf8");
};`,
      },
    });
    const code = `import much from "npm:does-much@1";
${handler('return Response.json([much.missing, much.test, much.where, much.keep()])')}`;
    expect((await call(await deploy(code))).body).toEqual([
      [],
      expect.stringMatching(/^(function|object)$/),
      ['/bundle', '/bundle/function.js'],
      'kept for this call',
    ]);
  });

  test('keep files for one call only', async () => {
    const code = `import { existsSync, writeFileSync } from "node:fs";
${handler('const had = existsSync("/tmp/x"); writeFileSync("/tmp/x", ""); return Response.json([had, existsSync("/tmp/x")])')}`;
    const slug = await deploy(code);
    expect((await call(slug)).body).toEqual([false, true]);
    expect((await call(slug)).body).toEqual([false, true]);
  });

  test('serve as in Node.js with httpServerHandler', async () => {
    const code = `import { createServer } from "node:http";
import { httpServerHandler } from "cloudflare:node";
const server = createServer((request, response) => {
  response.writeHead(201, { "content-type": "text/plain" });
  request.pipe(response);
});
server.listen(8080);
export default httpServerHandler({ port: 8080 });`;
    const slug = await deploy(code);
    const answer = await quire.call('POST', `/api/functions/${slug}`, { body: { echoed: true } });
    expect([answer.status, answer.body]).toEqual([201, '{"echoed":true}']);
  });
});
