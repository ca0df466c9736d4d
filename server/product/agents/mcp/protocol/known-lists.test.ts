import { expect, test } from 'bun:test';
import { KnownLists } from './known-lists.ts';

const LIST = [{ name: 'a' }];
const message = (more: object = {}) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more });

/** Requests a list. Returns the response and whether it had to be made. */
async function ask(
  lists: KnownLists,
  given: unknown,
  { version, list = LIST, isText = false }: { version?: string; list?: object; isText?: boolean } = {},
) {
  let isMade = false;
  const headers = version === undefined ? {} : { 'mcp-protocol-version': version };
  const request = new Request('http://quire.test/mcp', { method: 'POST', headers });
  const asked = { request, message: given, list: () => list, isStructured: !isText };
  const response = await lists.respond(asked, async () => {
    isMade = true;
    return Response.json({ jsonrpc: '2.0', id: (given as { id: unknown }).id, result: { tools: list } });
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { isMade, body };
}

test('a list is made once, and every message gets it with its own id', async () => {
  const lists = new KnownLists();
  const result = { tools: LIST };
  expect(await ask(lists, message())).toEqual({ isMade: true, body: { jsonrpc: '2.0', id: 1, result } });
  for (const id of [2, 'x"y', 0, ''])
    expect(await ask(lists, message({ id, params: {} }))).toEqual({
      isMade: false,
      body: { jsonrpc: '2.0', id, result },
    });
});

test('each list and each revision has its own', async () => {
  const lists = new KnownLists();
  await ask(lists, message());
  expect((await ask(lists, message(), { version: '2025-11-25' })).isMade).toBe(true);
  expect((await ask(lists, message(), { version: '2025-11-25' })).isMade).toBe(false);
  const other = await ask(lists, message(), { list: [] });
  expect(other).toMatchObject({ isMade: true, body: { result: { tools: [] } } });
});

test('anything unusual is left to the SDK', async () => {
  const lists = new KnownLists();
  await ask(lists, message());
  for (const given of [
    message({ params: { cursor: '100' } }),
    message({ params: { _meta: { progressToken: 1 } } }),
    message({ params: null }),
    message({ params: [] }),
    message({ id: null }),
    message({ id: 1.5 }),
    message({ id: 'x'.repeat(1_001) }),
    message({ id: undefined }),
    message({ jsonrpc: '1.0' }),
    message({ method: 'tools/call' }),
    message({ more: 1 }),
  ])
    expect((await ask(lists, given)).isMade).toBe(true);
  expect((await ask(lists, message(), { version: '1999-01-01' })).isMade).toBe(true);
});
