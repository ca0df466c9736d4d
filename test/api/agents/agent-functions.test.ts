import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_AGENT_FUNCTION_DESCRIPTION, MAX_AGENT_FUNCTIONS } from '../../../contract/rules/limits.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
const CODE = "export default { fetch: () => new Response('hi') }";
const deploy = (user: TestUser, slug: string, more = {}) =>
  user.call('POST', '/api/functions', { body: { slug, code: CODE, ...more } });
const entry = (slug: string, more = {}) => ({
  slug,
  description: 'Says hi',
  inputSchema: { type: 'object' },
  ...more,
});
const patch = (id: number, agent_functions: unknown, user = owner) =>
  user.call('PATCH', `/api/pages/${id}`, { body: { agent_functions } });
const read = async (id: number, user = owner) =>
  (await user.call('GET', `/api/pages/${id}`)).body.page.agent_functions;

beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
  await deploy(owner, 'mine');
  await deploy(owner, 'hidden', { isPublic: false });
  await deploy(stranger, 'theirs');
});
afterAll(() => quire.stop());

describe('agent_functions', () => {
  test('are empty at first, set by PATCH, and replaced as a whole', async () => {
    const { id } = await owner.publish();
    expect(await read(id)).toEqual([]);
    const list = [
      entry('mine', { inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }),
    ];
    expect((await patch(id, list)).status).toBe(200);
    expect(await read(id)).toEqual(list);
    expect((await patch(id, [])).status).toBe(200);
    expect(await read(id)).toEqual([]);
  });

  test('name only public functions of the page’s owner, and one answer does not tell which exist', async () => {
    const { id } = await owner.publish();
    const messages = [];
    for (const slug of ['theirs', 'hidden', 'missing']) {
      const answer = await patch(id, [entry(slug)]);
      expect(answer.status).toBe(400);
      messages.push(answer.body.details[0].message.replaceAll(slug, '…'));
    }
    expect(new Set(messages).size).toBe(1);
    expect((await patch(id, [entry('mine'), entry('theirs')])).status).toBe(400);
    expect(await read(id)).toEqual([]);
    expect((await patch(id, [entry('mine')], stranger)).status).toBe(403);
  });

  test('have limits', async () => {
    const { id } = await owner.publish();
    const many = Array.from({ length: MAX_AGENT_FUNCTIONS }, (_, at) => entry(`many-${at}`));
    const faults = async (list: unknown) => (await patch(id, list)).body.details;
    // The functions do not exist. Whether the list is too long is checked before that.
    expect(await faults(many)).toHaveLength(MAX_AGENT_FUNCTIONS);
    expect(await faults([...many, entry('mine')])).toMatchObject([
      { path: 'agent_functions', message: `has more than ${MAX_AGENT_FUNCTIONS} functions` },
    ]);
    const long = 'x'.repeat(MAX_AGENT_FUNCTION_DESCRIPTION);
    expect((await patch(id, [entry('mine', { description: long })])).status).toBe(200);
    expect((await patch(id, [entry('mine', { description: `${long}x` })])).status).toBe(400);
  });

  test.each<[string, unknown]>([
    ['no list', {}],
    ['no slug', [{ description: 'x', inputSchema: { type: 'object' } }]],
    ['a slug that cannot be one', [entry('../x')]],
    ['the same twice', [entry('mine'), entry('mine')]],
    ['an empty description', [entry('mine', { description: ' ' })]],
    ['an unknown field', [entry('mine', { other: 1 })]],
    ['a reference to elsewhere', [entry('mine', { inputSchema: { type: 'object', $ref: 'http://x' } })]],
    ['a schema that is a list', [entry('mine', { inputSchema: [] })]],
  ])('refuse %s', async (_, list) => {
    const { id } = await owner.publish();
    expect((await patch(id, list)).status).toBe(400);
  });

  test('go to a fork of the owner, but not to one of somebody else', async () => {
    const { id } = await owner.publish();
    await patch(id, [entry('mine')]);
    const own = (await owner.call('POST', `/api/pages/${id}/fork`)).body.page;
    expect(await read(own.id)).toEqual([entry('mine')]);
    const other = (await stranger.call('POST', `/api/pages/${id}/fork`)).body.page;
    expect(await read(other.id, stranger)).toEqual([]);
  });
});
