import { jobEndpoints } from '../../contract/functions/jobs/endpoints.ts';
import type { JobList } from '../../contract/functions/jobs/jobs.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { count as sayCount } from '../terminal/amounts.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { UsageError } from '../usage.ts';

const short = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ');

export const functionsJobs: Command = {
  name: 'functions jobs',
  usage: '<slug>',
  args: [1, 1],
  summary: 'list the failed jobs of a function, or try them again',
  options: {
    waiting: { type: 'boolean', summary: 'list those that wait or run instead' },
    show: { type: 'string', value: 'id', summary: 'print the message of one job' },
    retry: { type: 'boolean', summary: 'try all failed jobs again; with --id, one' },
    delete: { type: 'boolean', summary: 'delete all failed jobs; with --id, one' },
    id: { type: 'string', value: 'id', summary: 'with --retry or --delete: which job' },
    ...SERVER_OPTION,
  },
  notes: 'Lists the latest 100.',
  async run(call) {
    const [slug = ''] = call.args;
    const chosen = ['waiting', 'retry', 'delete'].filter((name) => call.flag(name));
    const show = readId(call.text('show'), '--show');
    const id = readId(call.text('id'), '--id');
    if (chosen.length + (show === undefined ? 0 : 1) > 1)
      throw new UsageError('Use one of --waiting, --show, --retry and --delete.');
    if (id !== undefined && !call.flag('retry') && !call.flag('delete'))
      throw new UsageError('--id needs --retry or --delete.');
    const api = await connect(call);
    const params = { slug };
    if (show !== undefined) {
      const job = await api.call(jobEndpoints.getJob, { params: { slug, id: show } });
      return call.out.result({ slug, ...job }, printable(job.body));
    }
    if (call.flag('retry')) {
      const body = id === undefined ? {} : { id };
      const { count } = await api.call(jobEndpoints.retryJobs, { params, body });
      return call.out.done(
        { slug, retried: count },
        `Trying ${sayCount(count, 'failed job')} of ${printable(slug)} again.`,
      );
    }
    if (call.flag('delete')) {
      const count = await remove(api, slug, id);
      return call.out.done(
        { slug, deleted: count },
        `Deleted ${sayCount(count, 'job')} of ${printable(slug)}.`,
      );
    }
    const state = call.flag('waiting') ? 'waiting' : 'failed';
    const list = await api.call(jobEndpoints.listJobs, { params, query: { state, limit: 100 } });
    call.out.result({ slug, ...list }, describe(list, call.out.paint.bold));
  },
};

async function remove(api: Api, slug: string, id: number | undefined): Promise<number> {
  if (id === undefined) return (await api.call(jobEndpoints.deleteFailedJobs, { params: { slug } })).count;
  await api.call(jobEndpoints.deleteJob, { params: { slug, id } });
  return 1;
}

function readId(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${option} needs the number of a job.`);
  return Number(text);
}

function describe({ waiting, running, failed, jobs }: JobList, bold: (text: string) => string): string {
  const counts = `${waiting} waiting, ${running} running, ${failed} failed`;
  if (jobs.length === 0) return counts;
  const rows = jobs.map(({ id, tries, sentAt, preview, error }) => [
    String(id),
    short(sentAt),
    String(tries),
    printable(preview.slice(0, 40)),
    printable((error ?? '').split('\n')[0]?.slice(0, 60) ?? ''),
  ]);
  return `${counts}\n\n${columns(['id', 'sent (UTC)', 'tries', 'message', 'error'], rows, bold)}`;
}
