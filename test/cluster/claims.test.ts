import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ANONYMOUS_PAGES_PER_DAY } from '../../contract/pages/anonymous/anonymous.ts';
import type { TestApp } from '../support/app.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { waitUntil } from '../support/server.ts';

/** A page that was published without an account on one node is the same page on the other. */

let nodes: TwoNodes;
beforeAll(async () => {
  nodes = await twoNodes({ QUIRE_ANONYMOUS_PAGES: 'on' });
}, 120_000);
afterAll(() => nodes?.stop());

const publish = (node: TestApp, peer: string) =>
  node.call('POST', '/api/publish', { body: { html_content: '<title>T</title><p>Turquoise' }, peer });

function claim(node: TestApp, link: string, cookie: string): Promise<Response> {
  const { pathname, searchParams } = new URL(link);
  return node.request(pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    body: searchParams.toString(),
  });
}

test('the first pages, on both nodes at once, make one account for all of them', async () => {
  const { a, b } = nodes;
  const made = await Promise.all([a, b, a, b].map((node, i) => publish(node, `10.4.1.${i}`)));
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});

test('of people who claim a page on both nodes at once, one gets it, and both nodes know', async () => {
  const { a, b } = nodes;
  const people = await Promise.all(['claimer-a', 'claimer-b'].map((name) => a.user(name)));
  const cookies = await Promise.all(people.map((person) => person.login()));
  for (let round = 0; round < 3; round++) {
    const { claim: link, slug } = (await publish(a, '10.4.0.1')).body;
    const bar = async (node: TestApp) => (await node.call('GET', `/p/${slug}`)).body;
    for (const node of [a, b]) expect(await bar(node)).toContain('Published anonymously');
    const responses = await Promise.all(
      [a, b].flatMap((node) => cookies.map((cookie) => claim(node, link, cookie))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
    for (const node of [a, b]) await waitUntil(async () => (await bar(node)).includes('Turquoise'));
  }
}, 60_000);

test('both nodes count the pages of an address together', async () => {
  const { a, b } = nodes;
  for (let i = 0; i < ANONYMOUS_PAGES_PER_DAY; i++)
    expect((await publish(i % 2 ? a : b, '10.4.0.2')).status).toBe(201);
  for (const node of [a, b]) expect((await publish(node, '10.4.0.2')).status).toBe(429);
});
