import { jobEndpoints } from '../../../../contract/functions/jobs/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { createOwn } from '../model/access.ts';
import { deleteFailedJobs, deleteJob, requireJob, retryJobs } from './change.ts';
import type { JobRunner } from './job-runner.ts';
import { listJobs } from './message-store.ts';
import { findQueue } from './store.ts';
import { toJob, toJobDetail } from './wire.ts';

export interface JobContext {
  db: Db;
  now: () => number;
  chargeUsage: ChargeUsage;
  jobs: Pick<JobRunner, 'wake'>;
}

export function jobRoutes(context: JobContext): Route[] {
  const { db, jobs } = context;
  const own = createOwn(db);
  return [
    handle(jobEndpoints.listJobs, async ({ params, query, actor }) => {
      const { id } = await own(params.slug, actor);
      const rows = await listJobs(db, id, query);
      // Last: if nothing runs then, the tries that the jobs show are over.
      const { waiting = 0, running = 0, failed = 0 } = (await findQueue(db, id)) ?? {};
      return { waiting: waiting - running, running, failed, jobs: rows.map(toJob) };
    }),
    handle(jobEndpoints.getJob, async ({ params, actor }) => {
      const { id } = await own(params.slug, actor);
      return toJobDetail(await requireJob(db, id, params.id));
    }),
    handle(jobEndpoints.retryJobs, async ({ params, body, actor }) => {
      const { id } = await own(params.slug, actor);
      const count = await retryJobs(context, id, body?.id);
      if (count > 0) jobs.wake();
      return { count };
    }),
    handle(jobEndpoints.deleteJob, async ({ params, actor }) => {
      const { id } = await own(params.slug, actor);
      await deleteJob(context, id, params.id);
    }),
    handle(jobEndpoints.deleteFailedJobs, async ({ params, actor }) => {
      const { id } = await own(params.slug, actor);
      return { count: await deleteFailedJobs(context, id) };
    }),
  ];
}
