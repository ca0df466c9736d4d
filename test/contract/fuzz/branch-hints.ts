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

const repair: Give = () => ({ params: { repair: '00000000-0000-4000-8000-000000000000' } });

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
  startRepair: () => ({ params: { fingerprint: '0123456789abcdef' } }),
  getRepair: repair,
  cancelRepair: repair,
};
