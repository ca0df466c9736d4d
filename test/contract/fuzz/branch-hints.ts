import { BROKEN, CHROME, MESSAGE } from '../../support/agents/repairs.ts';
import { waitUntil } from '../../support/server.ts';
import type { Give } from './hint.ts';
import { newName, type World } from './world.ts';

/** Hints for branches, attacks and repairs. Each request gets a branch of its own: a page can have five. */

async function newBranch(world: World): Promise<{ id: number; name: string }> {
  const { id } = await world.newPage();
  const { name } = await world.asOwner('POST', `/api/pages/${id}/branches`, {
    name: 'trial',
    data: 'schema',
  });
  return { id, name };
}

const makeBranch: Give = async (world) => ({ params: await newBranch(world) });
const finding: Give = () => ({ params: { key: '0123456789abcdef' } });

/** An error of a visitor's browser that can be repaired. */
interface Failing {
  id: number;
  fingerprint: string;
}

/** Repairs belong to somebody else, whose checks of a minute they use up. */
const asOther = (world: World, method: string, path: string, json?: unknown) =>
  world.client.call(method, path, { token: world.people.other.token, json });

async function newError(world: World): Promise<Failing> {
  const fields = { name: newName(), html_content: BROKEN };
  const { id, slug } = (await asOther(world, 'POST', '/api/pages', fields)).page;
  await asOther(world, 'PATCH', `/api/pages/${id}`, { repair: true });
  const url = `${world.baseUrl}/p/${slug}`;
  const visit = { url, width: 800, steps: [{ click: { role: 'button', name: 'First item' } }] };
  const json = { message: MESSAGE, source: url, line: 3, column: 45, visit };
  await world.client.call('POST', `/api/pages/${id}/errors`, { json, headers: { 'user-agent': CHROME } });
  const { errors } = await asOther(world, 'GET', `/api/pages/${id}/errors`);
  return { id, fingerprint: errors[0].fingerprint };
}

/** A page has one repair at a time, and one fewer a day than is allowed. */
const STARTS = 4;
const failing = new WeakMap<World, Failing & { starts: number }>();

/** An error that nobody repairs now. */
async function findError(world: World): Promise<Failing> {
  const last = failing.get(world);
  if (last) await waitForRepairs(world, last.id);
  const { starts, ...error } =
    last && last.starts < STARTS ? last : { ...(await newError(world)), starts: 0 };
  failing.set(world, { ...error, starts: starts + 1 });
  return error;
}

const waitForRepairs = (world: World, id: number) =>
  waitUntil(async () => {
    const { repairs } = await asOther(world, 'GET', `/api/pages/${id}/repairs`);
    return repairs.every(({ state }: { state: string }) => state === 'ended');
  });

const repairs = new WeakMap<World, Promise<{ id: number; repair: string }>>();

/** One repair, which soon ends: these tests have no browser. */
function findRepair(world: World): Promise<{ id: number; repair: string }> {
  const known = repairs.get(world) ?? newRepair(world);
  repairs.set(world, known);
  return known;
}

async function newRepair(world: World): Promise<{ id: number; repair: string }> {
  const { id, fingerprint } = await newError(world);
  const started = await asOther(world, 'POST', `/api/pages/${id}/errors/${fingerprint}/repair`, {});
  return { id, repair: started.id };
}

export const BRANCH_HINTS: Record<string, Give> = {
  createBranch: async (world) => ({
    params: { id: (await world.newPage()).id },
    fields: { name: newName(), at: undefined },
  }),
  getBranch: makeBranch,
  updateBranch: async (world) => ({ params: await newBranch(world), json: { name: 'renamed' } }),
  deleteBranch: makeBranch,
  readOutbox: makeBranch,
  listBranchChanges: makeBranch,
  updateFromMain: async (world) => ({ params: await newBranch(world), json: { dry_run: true } }),
  mergeBranch: async (world) => ({ params: await newBranch(world), json: { dry_run: true } }),
  attackPage: () => ({ fields: { branch: undefined } }),
  keepFinding: finding,
  forgetFinding: finding,
  startRepair: async (world) => ({ role: 'other', params: { ...(await findError(world)) }, json: {} }),
  getRepair: async (world) => ({ role: 'other', params: await findRepair(world) }),
  cancelRepair: async (world) => ({ role: 'other', params: await findRepair(world) }),
};
