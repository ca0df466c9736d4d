import type { Give } from './hint.ts';
import type { World } from './world.ts';

/** Hints for jobs. Each request gets a function of its own, with a message that waits. */

const CODE = `export default {
  async fetch(request, env) {
    await env.QUEUE.send({ a: 1 }, { delaySeconds: 3600 });
    return Response.json({ success: true });
  },
  queue() {},
};`;

async function newJob(world: World): Promise<{ slug: string; id: number }> {
  const slug = await world.newFunction({ code: CODE });
  await world.asOwner('POST', `/api/functions/${slug}`, {});
  const { jobs } = await world.asOwner('GET', `/api/functions/${slug}/jobs?state=waiting`);
  return { slug, id: jobs[0].id };
}

const makeJob: Give = async (world) => ({ params: await newJob(world) });

export const JOB_HINTS: Record<string, Give> = {
  getJob: makeJob,
  deleteJob: makeJob,
  // Only a job that has failed ten times has an id that can be sent again.
  retryJobs: () => ({ json: {} }),
};
