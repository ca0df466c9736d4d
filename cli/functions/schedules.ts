import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { showEntry } from './log.ts';

const short = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ');

const functionsSchedules: Command = {
  name: 'functions schedules',
  usage: '<slug>',
  args: [1, 1],
  summary: 'list the schedules of a function, or replace them',
  options: {
    set: {
      type: 'string',
      value: 'cron',
      multiple: true,
      summary: 'a schedule, such as "0 3 * * *"; replaces all others, so give every one',
    },
    timezone: { type: 'string', value: 'name', summary: 'with --set: their time zone (default: UTC)' },
    clear: { type: 'boolean', summary: 'remove all schedules' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const [slug = ''] = call.args;
    const crons = call.texts('set');
    const timezone = call.text('timezone');
    if (call.flag('clear') && crons.length > 0)
      throw new UsageError('Use either --set or --clear, not both.');
    if (timezone !== undefined && crons.length === 0) throw new UsageError('--timezone needs --set.');
    const api = await connect(call);
    const wanted = crons.map((cron) => ({ cron, ...(timezone !== undefined && { timezone }) }));
    const isChange = call.flag('clear') || wanted.length > 0;
    const params = { slug };
    const { schedules } = isChange
      ? await api.call(functionEndpoints.updateFunction, { params, body: { schedules: wanted } })
      : await api.call(functionEndpoints.getFunction, { params });
    if (!schedules)
      throw new CommandError(`Only the owner of ${printable(slug)} can see its schedules.`, EXIT.denied);
    const rows = schedules.map(({ cron, timezone: zone, nextRunAt, failures, lastRun }) => [
      cron,
      zone,
      short(nextRunAt),
      lastRun ? short(lastRun.startedAt) : '',
      lastRun?.result ?? '',
      failures > 0 ? String(failures) : '',
    ]);
    const headings = ['cron', 'time zone', 'next run (UTC)', 'last run (UTC)', 'result', 'failures'];
    const none = `${printable(slug)} has no schedules. Add one with quire functions schedules ${printable(slug)} --set "0 3 * * *".`;
    call.out.result(
      { slug, schedules },
      rows.length === 0 ? none : columns(headings, rows, call.out.paint.bold),
    );
  },
};

const functionsRun: Command = {
  name: 'functions run',
  usage: '<slug>',
  args: [1, 1],
  summary: 'run a function as its schedule does, now',
  options: {
    cron: { type: 'string', value: 'cron', summary: 'which of its schedules (default: the first)' },
    ...SERVER_OPTION,
  },
  notes: 'Prints what the run printed and threw to standard error. Exits with 1 if the run failed.',
  async run(call) {
    const [slug = ''] = call.args;
    const { out } = call;
    const cron = call.text('cron');
    const body = cron === undefined ? {} : { cron };
    const api = await connect(call);
    const run = await api.call(functionEndpoints.runFunctionSchedule, { params: { slug }, body });
    for (const entry of run.logs)
      out.error(showEntry({ ...entry, id: 0, status: null, durationMs: null }, out.paintError));
    if (run.exception) out.error(printable(run.exception.stack));
    const said =
      run.result === 'running'
        ? `${slug} is still running. Its result will be in quire functions logs ${slug}.`
        : `${slug}: ${run.result} in ${run.durationMs} ms${run.error === null ? '' : `: ${run.error}`}`;
    out.result({ slug, ...run }, printable(said));
    if (run.result === 'error' || run.result === 'interrupted') call.exitWith(EXIT.failed);
  },
};

export const schedulesCommands = [functionsSchedules, functionsRun];
