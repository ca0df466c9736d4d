import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { PageAttack } from '../../contract/attack/attack.ts';
import type { Branch } from '../../contract/pages/branches/branches.ts';
import type { Repair } from '../../contract/repairs/repairs.ts';
import { publishSample } from '../attack/publish-sample.ts';
import { functionSamples } from '../attack/samples/functions.ts';
import { BROKEN, FIX, reportError, untilEnded } from '../support/agents/repairs.ts';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { breakMergeAndUndo } from '../support/branches/merge-journey.ts';
import { overflow, watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, clusterStage, type Published, type Stage } from '../support/browser/stage.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { type Account, type ClientOptions, call, publish, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** Repairs, attacks and a merge in a real browser, each with several nodes that take part in it. */

const LONG_MS = 400_000;

let cluster: Cluster;
let vendor: ToolVendor;
let stage: Stage;
let owner: Account;
beforeAll(async () => {
  vendor = await startToolVendor();
  const settings = {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model-a',
    QUIRE_CREDITS_NEW_USER: '1000',
  };
  cluster = await startCluster({ nodes: 3, settings });
  stage = clusterStage(cluster);
  owner = await register({ port: cluster.port, baseUrl: cluster.url }, 'cluster-proofs');
}, 240_000);
afterEach(closeTabs);
afterAll(async () => {
  await cluster?.stop();
  await vendor?.stop();
}, 60_000);

const [A, B, C] = [0, 1, 2];
/** The owner at one of the nodes. */
function at(index: number) {
  const { host, port } = cluster.nodes[index] as ClusterNode;
  const node = { host, port, baseUrl: cluster.url };
  return {
    node,
    token: owner.token,
    call: (method: string, path: string, options: ClientOptions = {}) =>
      call(node, method, path, { token: owner.token, ...options }),
    publish: (fields: Record<string, unknown>) => publish(node, owner.token, fields),
  };
}
const listBranches = async (index: number, id: number): Promise<Branch[]> =>
  (await at(index).call('GET', `/api/pages/${id}/branches`)).body.branches;

/** A page with an error that a visitor's browser has reported to one of the nodes. */
async function publishBroken(index: number) {
  const page = await at(index).publish({ name: 'List', html_content: BROKEN });
  await at(index).call('PATCH', `/api/pages/${page.id}`, { body: { repair: true } });
  const quire = {
    call: (method: string, path: string, options?: ClientOptions) =>
      call(at(index).node, method, path, options),
  };
  const error = await reportError({ quire, owner: at(index) }, page as never);
  return { id: page.id, start: `/api/pages/${page.id}/errors/${error}/repair` };
}
const readRepair = async (index: number, id: number, repair: string): Promise<Repair> =>
  (await at(index).call('GET', `/api/pages/${id}/repairs/${repair}`)).body;

test(
  'a repair that one node makes is read on the second, and its proof and its branch on the third',
  async () => {
    const { id, start } = await publishBroken(B);
    const thinking = Promise.withResolvers<void>();
    vendor.play([{ text: 'I look.', calls: [FIX], pace: () => thinking.promise }, { text: 'Done.' }]);
    const asked = vendor.nextRequest();
    const started = await at(A).call('POST', start, { body: {} });
    expect([started.status, started.body.state]).toEqual([202, 'running']);
    const repair = started.body.id as string;
    await asked;
    expect(await readRepair(B, id, repair)).toMatchObject({ state: 'running', outcome: null });
    const another = await at(B).call('POST', start, { body: {} });
    expect([another.status, another.body.code]).toEqual([409, 'CONFLICT']);
    thinking.resolve();
    const ended = await untilEnded(at(C) as never, id, repair);
    expect(ended).toMatchObject({
      outcome: 'repaired',
      doubts: [],
      evidence: { before: { failed: true }, after: { failed: false }, attack: { findings: [] } },
    });
    expect(await readRepair(B, id, repair)).toEqual(ended);
    const read = async (index: number, page: number) =>
      (await at(index).call('GET', `/api/pages/${page}`)).body.page.html_content;
    expect(await read(C, id)).toBe(BROKEN);
    expect(await listBranches(C, id)).toMatchObject([{ name: ended.branch?.name, state: 'ready' }]);
    expect(await read(B, ended.branch?.id ?? 0)).toContain("items[0]?.name ?? 'nothing'");
    // A person merges on another node than the one that repaired.
    const merged = await at(C).call('POST', `/api/pages/${id}/branches/${ended.branch?.name}/merge`, {
      body: {},
    });
    expect([merged.status, merged.body.error]).toEqual([200, undefined]);
    expect(await read(A, id)).toContain("items[0]?.name ?? 'nothing'");
  },
  LONG_MS,
);

test(
  'a repair that one node makes is stopped on another, and leaves no branch on the third',
  async () => {
    const { id, start } = await publishBroken(C);
    vendor.play([{ text: 'I think about it', ends: 'silence' }]);
    const asked = vendor.nextRequest();
    const { body } = await at(A).call('POST', start, { body: {} });
    await asked;
    expect(await listBranches(B, id)).toHaveLength(1);
    const hangUp = vendor.nextHangUp();
    expect((await at(C).call('DELETE', `/api/pages/${id}/repairs/${body.id}`)).status).toBe(200);
    await hangUp;
    expect(await untilEnded(at(B) as never, id, body.id)).toMatchObject({
      ...{ outcome: 'cancelled', branch: null },
    });
    expect(await listBranches(C, id)).toEqual([]);
    const late = await at(B).call('DELETE', `/api/pages/${id}/repairs/${body.id}`);
    expect([late.status, late.body.code]).toEqual([409, 'CONFLICT']);
  },
  LONG_MS,
);

test(
  'an attack that one node makes is read on the others, with who said that a finding is meant so',
  async () => {
    const sample = functionSamples.find(({ name }) => name === 'secret notes, by any id');
    if (!sample) throw new Error('the sample is gone');
    const { node } = at(A);
    const request = (path: string, init: RequestInit = {}) =>
      fetch(`http://${node.host}:${node.port}${path}`, init);
    const id = await publishSample({ request } as never, at(A) as never, sample, 1);
    const read = async (index: number): Promise<PageAttack | null> =>
      (await at(index).call('GET', `/api/pages/${id}/attack`)).body.attack;
    expect(await read(C)).toBeNull();
    const { status, body } = await at(B).call('POST', `/api/pages/${id}/attack`, { timeoutMs: LONG_MS });
    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.findings).toMatchObject([{ kind: 'function-reads', meant: null }]);
    for (const index of [A, C]) expect(await read(index)).toEqual(body);
    const [{ key, request: proof }] = body.findings;
    expect(proof).not.toBe('');
    expect((await at(C).call('PUT', `/api/pages/${id}/attack/meant/${key}`)).status).toBe(200);
    expect((await read(A))?.findings).toMatchObject([{ key, meant: { by: owner.username } }]);
    // The copy is gone on every node, with its function.
    for (const index of [A, B, C]) {
      expect(await listBranches(index, id)).toEqual([]);
      const { functions } = (await at(index).call('GET', '/api/functions?mine=true')).body;
      expect(functions.map(({ slug }: { slug: string }) => slug)).toEqual(
        Object.keys(sample.functions ?? {}).map((slug) => `${slug}-1`),
      );
    }
  },
  LONG_MS,
);

test(
  'in a browser, an agent breaks a branch while visitors of every node have the page; a person merges and undoes it',
  async () => {
    const person = await stage.register('mara-cluster');
    const [tab, visitor] = [await stage.reuse(person), await stage.enter()];
    const complaints = watchComplaints(tab);
    const look = async (screen: typeof tab) => expect(await overflow(screen)).toBe(0);
    /** From each node, and in the browser of a visitor at the load balancer. */
    async function visit({ slug, address, url }: Published, heading: string) {
      const { host } = new URL(address);
      for (const { host: node, port } of cluster.nodes)
        await waitUntil(async () => {
          const response = await fetch(`http://${node}:${port}/`, { headers: { host } });
          return response.status === 200 && (await response.text()).includes(`<h1>${heading}</h1>`);
        });
      expect(url).toEndWith(`/p/${slug}`);
      await visitor.goto(url);
      await visitor.getByRole('heading', { name: heading, exact: true }).waitFor();
    }
    async function visitBroken({ page: { slug } }: Branch) {
      await tab.goto(`${cluster.url}/p/${slug}`);
      await tab.getByText('broken', { exact: true }).waitFor();
      // Nobody else sees the branch.
      await visitor.goto(`${cluster.url}/p/${slug}`);
      expect(await visitor.getByText('broken', { exact: true }).count()).toBe(0);
    }
    await breakMergeAndUndo(stage, person, tab, { look, visit, visitBroken });
    expect(complaints).toEqual([]);
  },
  LONG_MS,
);
