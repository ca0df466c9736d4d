import { afterAll, describe, expect, test } from 'bun:test';
import { functionApp } from '../support/function-app.ts';
import { startNpmRegistry } from '../support/npm-registry.ts';

const registry = startNpmRegistry();
const { quire, owner, deploy, call } = await functionApp({ QUIRE_NPM_REGISTRY: registry.url });
afterAll(async () => {
  await quire.stop();
  await registry.stop();
});

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
    expect(body).toEqual({ code: TYPESCRIPT, files: {}, version: 1 });
  });

  test('has errors at the line of the source', async () => {
    const code = TYPESCRIPT.replace('greet(await', 'greet(await await )');
    const answer = await owner.call('POST', '/api/functions', { body: { slug: 'broken', code } });
    expect([answer.status, answer.body.code]).toEqual([422, 'DEPLOY_FAILED']);
    expect(answer.body).toMatchObject({ line: 5, column: 44 });
  });
});
