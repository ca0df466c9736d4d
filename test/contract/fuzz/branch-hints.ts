import { BROKEN, CHROME, MESSAGE } from '../../support/agents/repairs.ts';
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

/** A page with an error of a visitor's browser that can be repaired. A page has few repairs a day. */
async function newError(world: World): Promise<{ id: number; fingerprint: string }> {
  const { id, slug } = await world.newPage({ html_content: BROKEN });
  await world.asOwner('PATCH', `/api/pages/${id}`, { repair: true });
  const url = `${world.baseUrl}/p/${slug}`;
  const visit = { url, width: 800, steps: [{ click: { role: 'button', name: 'First item' } }] };
  const json = { message: MESSAGE, source: url, line: 3, column: 45, visit };
  await world.client.call('POST', `/api/pages/${id}/errors`, { json, headers: { 'user-agent': CHROME } });
  const { errors } = await world.asOwner('GET', `/api/pages/${id}/errors`);
  return { id, fingerprint: errors[0].fingerprint };
}

/** A repair that is under way, or has just ended. */
async function newRepair(world: World): Promise<{ id: number; repair: string }> {
  const { id, fingerprint } = await newError(world);
  const path = `/api/pages/${id}/errors/${fingerprint}/repair`;
  const started = await world.asOwner('POST', path, {});
  return { id, repair: started.id };
}

const repaired = new WeakMap<World, ReturnType<typeof newRepair>>();

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
  keepFinding: finding,
  forgetFinding: finding,
  startRepair: async (world) => ({ params: await newError(world), json: {} }),
  async getRepair(world) {
    const known = repaired.get(world) ?? newRepair(world);
    repaired.set(world, known);
    return { params: await known };
  },
  cancelRepair: async (world) => ({ params: await newRepair(world) }),
};
