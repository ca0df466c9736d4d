import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { TestUser } from '../support/app.ts';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { startWire, type Wire } from '../support/faults/proxy.ts';
import { handler } from '../support/functions/app.ts';
import { type DnsServer, startDns } from '../support/pages/dns.ts';
import { connectDomain } from '../support/pages/domains.ts';
import { waitUntil } from '../support/server.ts';

let dns: DnsServer;
let nodes: TwoNodes;
let wire: Wire;
let ada: TestUser;
beforeAll(async () => {
  dns = await startDns();
  nodes = await twoNodes(
    { QUIRE_DNS_SERVERS: dns.address },
    {
      async databaseUrl(address) {
        const url = new URL(address);
        wire = await startWire({ port: Number(url.port) });
        url.port = String(wire.port);
        return url.href;
      },
    },
  );
  ada = await nodes.a.user('ada');
}, 120_000);
afterAll(async () => {
  await nodes.stop();
  await wire.stop();
  await dns.stop();
});
afterEach(async () => {
  await wire.mend();
  nodes.redis.thaw();
  await nodes.untilRedis('there');
});

const html = (text: string) => `<!doctype html><title>t</title><p>${text}`;
const seenAt = async (node: 'a' | 'b', slug: string) => {
  const response = await nodes[node].request(`/p/${slug}`);
  const text = /<p>(.*)/.exec(await response.text())?.[1];
  return response.status === 200 ? text : response.status;
};
const until = (read: () => Promise<unknown>, wanted: unknown) =>
  waitUntil(async () => (await read()) === wanted);
const edit = async (id: number, body: Record<string, unknown>) => {
  const { status } = await ada.call('PATCH', `/api/pages/${id}`, { body });
  expect(status).toBe(200);
};
const callAt = async (node: 'a' | 'b', slug: string) => {
  const { status, body } = await nodes[node].call('POST', `/api/functions/${slug}`, { body: {} });
  return status === 200 ? body : status;
};
const cellsAtB = async () => (await nodes.b.app.health()).cells;
let functions = 0;
async function deploy(answer: string): Promise<string> {
  const slug = `fn-${++functions}`;
  const code = handler(`return Response.json(${answer})`);
  const { status } = await ada.call('POST', '/api/functions', { body: { slug, code, isPublic: true } });
  expect(status).toBe(201);
  return slug;
}
const redeploy = (slug: string, answer: string) =>
  ada.call('PATCH', `/api/functions/${slug}`, { body: { code: handler(`return Response.json(${answer})`) } });

describe('a page in the memory of both nodes', () => {
  test('is up to date on B after A changes it, moves when A renames it, and goes when A unpublishes it', async () => {
    const { id, slug } = await ada.publish({ html_content: html('one') });
    expect([await seenAt('a', slug), await seenAt('b', slug)]).toEqual(['one', 'one']);
    await edit(id, { html_content: html('two') });
    expect(await seenAt('a', slug)).toBe('two');
    await until(() => seenAt('b', slug), 'two');
    await edit(id, { slug: `${slug}-moved` });
    await until(() => seenAt('b', slug), 301);
    expect(await seenAt('b', `${slug}-moved`)).toBe('two');
    await edit(id, { is_published: false });
    await until(() => seenAt('b', `${slug}-moved`), 404);
  });

  test('is gone from B after A deletes it', async () => {
    const { id, slug } = await ada.publish({ html_content: html('here') });
    expect(await seenAt('b', slug)).toBe('here');
    expect((await ada.call('DELETE', `/api/pages/${id}`)).status).toBe(200);
    await until(() => seenAt('b', slug), 404);
  });

  test.each([
    ['hangs', () => nodes.redis.freeze(), () => nodes.redis.thaw()],
    ['is gone', () => nodes.redis.kill(), () => nodes.redis.start()],
  ])(
    'is checked against the database while Redis %s, and once more when Redis is back',
    async (_, lose, give) => {
      const { id, slug } = await ada.publish({ html_content: html('one') });
      expect(await seenAt('b', slug)).toBe('one');
      await lose();
      await edit(id, { html_content: html('two') });
      await until(() => seenAt('b', slug), 'two');
      await edit(id, { is_published: false });
      await until(() => seenAt('b', slug), 404);
      await edit(id, { is_published: true });
      await until(() => seenAt('b', slug), 'two');
      await give();
      await nodes.untilRedis('there');
      await edit(id, { html_content: html('three') });
      await until(() => seenAt('b', slug), 'three');
    },
  );

  test.each([
    ['does not answer', async () => wire.silence()],
    ['refuses connections', () => wire.cut()],
  ])('is served from memory while Redis is unavailable and PostgreSQL %s', async (_, lose) => {
    const { slug } = await ada.publish({ html_content: html('kept') });
    expect(await seenAt('b', slug)).toBe('kept');
    nodes.redis.freeze();
    await lose();
    // Longer than any cached copy is trusted without a check.
    const end = Date.now() + 2_500;
    await waitUntil(async () => {
      expect(await seenAt('b', slug)).toBe('kept');
      return Date.now() > end;
    });
  });
});

describe('a domain of a page', () => {
  let count = 0;
  const seenAtDomain = async (node: 'a' | 'b', domain: string) =>
    /<p>(.*)/.exec(await (await nodes[node].request(`http://${domain}:3000/`)).text())?.[1];
  const remove = (page: { id: number }, domain: string) =>
    ada.call('DELETE', `/api/pages/${page.id}/domains/${domain}`);

  test('shows the page on B once A has verified it, and no longer after A removes it', async () => {
    const domain = `d${++count}.example.com`;
    const page = await ada.publish({ html_content: html('mine') });
    // B remembers that nobody has it.
    expect(await seenAtDomain('b', domain)).not.toBe('mine');
    await connectDomain(dns, ada, page, domain);
    await until(() => seenAtDomain('b', domain), 'mine');
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    await until(
      async () => (await nodes.b.request(`/p/${page.slug}`, { headers })).headers.get('location'),
      `http://${domain}:3000/`,
    );
    await remove(page, domain);
    await waitUntil(async () => (await seenAtDomain('b', domain)) !== 'mine');
  });

  test('is checked against the database while Redis hangs', async () => {
    const domain = `d${++count}.example.com`;
    const [one, two] = [
      await ada.publish({ html_content: html('one') }),
      await ada.publish({ html_content: html('two') }),
    ];
    await connectDomain(dns, ada, one, domain);
    await until(() => seenAtDomain('b', domain), 'one');
    nodes.redis.freeze();
    await connectDomain(dns, ada, two, domain);
    await until(() => seenAtDomain('b', domain), 'two');
  });
});

describe('a function that both nodes run', () => {
  test('is up to date on B after A deploys it, has the new secret, and stops when A deletes it', async () => {
    const slug = await deploy('{ n: 1 }');
    expect([await callAt('a', slug), await callAt('b', slug)]).toEqual([{ n: 1 }, { n: 1 }]);
    await redeploy(slug, '{ n: 2 }');
    await until(async () => (await callAt('b', slug)).n, 2);
    await redeploy(slug, '{ secret: env.WORD ?? null }');
    await until(async () => (await callAt('b', slug)).secret, null);
    await ada.call('PUT', `/api/functions/${slug}/secrets/WORD`, { body: { value: 'plover' } });
    await until(async () => (await callAt('b', slug)).secret, 'plover');
    expect((await ada.call('DELETE', `/api/functions/${slug}`)).status).toBe(204);
    await until(() => callAt('b', slug), 404);
    await until(cellsAtB, 0);
  });

  test('has one version for each deploy and restore on either node, and both run the last', async () => {
    const slug = await deploy('{ n: 1 }');
    await redeploy(slug, '{ n: 2 }');
    expect([await callAt('a', slug), await callAt('b', slug)]).toEqual([{ n: 2 }, { n: 2 }]);
    const path = `/api/functions/${slug}`;
    const restoreAt = (node: 'a' | 'b', version: number) =>
      nodes[node].call('POST', `${path}/versions/${version}/restore`, { token: ada.token });
    expect((await restoreAt('b', 1)).body.version).toBe(3);
    expect(await callAt('b', slug)).toEqual({ n: 1 });
    await until(async () => (await callAt('a', slug)).n, 1);

    const made = await Promise.all([
      restoreAt('a', 2),
      restoreAt('b', 1),
      redeploy(slug, '{ n: 3 }'),
      restoreAt('b', 2),
    ]);
    expect(made.map(({ body }) => body.version).sort()).toEqual([4, 5, 6, 7]);
    const last = [2, 1, 3, 2][made.findIndex(({ body }) => body.version === 7)];
    await until(async () => (await callAt('a', slug)).n, last);
    await until(async () => (await callAt('b', slug)).n, last);
    const { versions } = (await ada.call('GET', `${path}/versions`)).body;
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect((await ada.call('DELETE', path)).status).toBe(204);
    await until(cellsAtB, 0);
  });

  test('is up to date while Redis hangs, and stops on B if A deleted it meanwhile', async () => {
    const slug = await deploy('{ n: 1 }');
    expect(await callAt('b', slug)).toEqual({ n: 1 });
    nodes.redis.freeze();
    await redeploy(slug, '{ n: 2 }');
    await until(async () => (await callAt('b', slug)).n, 2);
    expect((await ada.call('DELETE', `/api/functions/${slug}`)).status).toBe(204);
    nodes.redis.thaw();
    await until(cellsAtB, 0);
    expect(await callAt('b', slug)).toBe(404);
  });
});
