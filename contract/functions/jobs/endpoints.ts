import { endpoint, endpoints } from '../../endpoint.ts';
import { READ, WRITE } from '../access.ts';
import { slugParams } from '../functions.ts';
import { JobCount, JobDetail, JobList, JobQuery, jobParams, RetryJobs } from './jobs.ts';

/** Messages that a function has sent to its `queue`. */
export const jobEndpoints = endpoints({
  listJobs: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/jobs',
    access: READ,
    summary: 'List the failed or the waiting jobs of a function, and count both',
    params: slugParams,
    query: JobQuery,
    response: JobList,
  }),
  getJob: endpoint({
    method: 'GET',
    path: '/api/functions/:slug/jobs/:id',
    access: READ,
    summary: 'Read a job with its message',
    params: jobParams,
    response: JobDetail,
  }),
  retryJobs: endpoint({
    method: 'POST',
    path: '/api/functions/:slug/jobs/retry',
    failures: ['CONFLICT'],
    access: WRITE,
    summary: 'Send a failed job again, or all of them',
    params: slugParams,
    body: RetryJobs,
    bodyOptional: true,
    response: JobCount,
  }),
  deleteJob: endpoint({
    method: 'DELETE',
    path: '/api/functions/:slug/jobs/:id',
    failures: ['CONFLICT'],
    access: WRITE,
    summary: 'Remove a job that is not running',
    params: jobParams,
    status: 204,
  }),
  deleteFailedJobs: endpoint({
    method: 'DELETE',
    path: '/api/functions/:slug/jobs',
    access: WRITE,
    summary: 'Remove all failed jobs of a function',
    params: slugParams,
    response: JobCount,
  }),
});
