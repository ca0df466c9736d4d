import { jobEndpoints } from '../../../../../contract/functions/jobs/endpoints.ts';
import { type Api, type Definition, type Input, tool } from './definition.ts';
import { continueWithOffset, cutList } from './results/cut.ts';

const SLUG = { slug: { type: 'string' } };

/** Tools for the jobs of functions. */
export const jobTools: Definition[] = [
  tool(jobEndpoints.listJobs, {
    name: 'list_jobs',
    title: 'List jobs',
    description: 'Lists messages in the queue of a function, or those that failed. With id, one in full.',
    effect: 'read',
    group: 'functions',
    source: 'messages of a function, which visitors may have written',
    cut: cutList('jobs', continueWithOffset),
    also: [{ given: 'id', endpoint: jobEndpoints.getJob }],
    adds: ['id'],
    input: { ...SLUG, state: '', id: { type: 'integer' } },
  }),
  {
    group: 'functions',
    name: 'retry_jobs',
    title: 'Send failed jobs again',
    description: 'Sends failed jobs again, all or one by its id. With delete=true, deletes them.',
    effect: 'destructive',
    input: { ...SLUG, id: { type: 'integer' }, delete: { type: 'boolean' } },
    endpoints: [{ endpoint: jobEndpoints.retryJobs }],
    work: {
      required: ['slug'],
      alsoDoes: [jobEndpoints.deleteJob, jobEndpoints.deleteFailedJobs],
      run: changeJobs,
    },
  },
];

function changeJobs({ slug, id, delete: isDeleting }: Input, api: Api): Promise<Response> {
  if (isDeleting !== true) return api.request(jobEndpoints.retryJobs, { params: { slug }, json: { id } });
  return id === undefined
    ? api.request(jobEndpoints.deleteFailedJobs, { params: { slug } })
    : api.request(jobEndpoints.deleteJob, { params: { slug, id } });
}
