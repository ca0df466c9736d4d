import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { followLog, showEntry } from './log.ts';

export const functionsLogs: Command = {
  name: 'functions logs',
  usage: '<slug>',
  args: [1, 1],
  summary: "show a function's log",
  options: {
    follow: { type: 'boolean', short: 'f', summary: 'show new entries until Ctrl-C' },
    limit: { type: 'string', value: 'n', summary: 'the last n entries (default 100, at most 1000)' },
    since: { type: 'string', value: 'time', summary: 'only entries since this ISO 8601 time' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connect(call);
    const [slug = ''] = call.args;
    const query = { limit: call.text('limit') || undefined, since: call.text('since') || undefined };
    const show = (entry: Parameters<typeof showEntry>[0]) => showEntry(entry, call.out.paint);
    if (call.flag('follow')) {
      await onInterrupt((signal) =>
        followLog(api, slug, query, signal, (entry) => call.out.item(entry, show(entry))),
      );
      return;
    }
    const list = await api.call(functionEndpoints.listFunctionLogs, { params: { slug }, query });
    call.out.result(list, list.logs.map(show).join('\n'));
    if (list.logs.length === 0) call.out.note('The log is empty.');
  },
};
