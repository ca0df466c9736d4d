import type { Give } from './hint.ts';
import type { World } from './world.ts';

/** Hints for moments. Each request gets a page of its own, which has room for its moment. */

async function newMoment(world: World): Promise<{ id: number; at: string }> {
  const { id } = await world.newPage();
  const { at } = await world.asOwner('POST', `/api/pages/${id}/moments`, { name: 'a moment' });
  return { id, at };
}

const makeMoment: Give = async (world) => ({ params: await newMoment(world) });

export const MOMENT_HINTS: Record<string, Give> = {
  keepMoment: async (world) => ({ params: { id: (await world.newPage()).id }, fields: { name: 'a moment' } }),
  getMoment: makeMoment,
  deleteMoment: makeMoment,
  async restoreMoment(world, random) {
    const { id, at } = await newMoment(world);
    return { params: { id }, json: { at, ...(random.chance(0.5) && { dry_run: true }) } };
  },
};
