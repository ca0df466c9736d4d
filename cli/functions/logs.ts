import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { LogEntry } from '../../contract/functions/functions.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { onInterrupt } from '../terminal/interrupt.ts';
import { followLog, showEntry } from './log.ts';

/** What commands that show logs accept. */
export const LOG_OPTIONS: Record<string, Option> = {
  follow: { type: 'boolean', short: 'f', summary: 'show new entries until Ctrl-C' },
  limit: { type: 'string', value: 'n', summary: 'the last n entries (default 100, at most 1000)' },
  since: { type: 'string', value: 'time', summary: 'only entries since this ISO 8601 time' },
  ...SERVER_OPTION,
};

export const functionsLogs: Command = {
  name: 'functions logs',
  usage: '<slug>',
  args: [1, 1],
  summary: "show a function's log",
  options: LOG_OPTIONS,
  async run(call) {
    const [slug = ''] = call.args;
    await showLogs(call, await connect(call), [slug], false);
  },
};

/** Shows the logs of some functions, in the order of time. */
export async function showLogs(call: Call, api: Api, slugs: string[], isNamed: boolean): Promise<void> {
  const { out } = call;
  const query = { limit: call.text('limit') || undefined, since: call.text('since') || undefined };
  const width = Math.max(...slugs.map((slug) => slug.length));
  const show = (slug: string, entry: LogEntry) => {
    const prefix = isNamed ? `${out.paint.bold(printable(slug.padEnd(width)))} ` : '';
    return prefix + showEntry(entry, out.paint);
  };
  const toItem = (slug: string, entry: LogEntry) => (isNamed ? { function: slug, ...entry } : entry);
  if (call.flag('follow')) {
    await onInterrupt((signal) =>
      Promise.all(
        slugs.map((slug) =>
          followLog(api, slug, query, signal, (entry) => out.item(toItem(slug, entry), show(slug, entry))),
        ),
      ),
    );
    return;
  }
  const lists = await Promise.all(
    slugs.map(async (slug) => {
      const list = await api.call(functionEndpoints.listFunctionLogs, { params: { slug }, query });
      return list.logs.map((entry) => ({ slug, entry }));
    }),
  );
  const found = lists.flat().sort((a, b) => compare(a.entry.timestamp, b.entry.timestamp));
  out.result(
    { logs: found.map(({ slug, entry }) => toItem(slug, entry)) },
    found.map(({ slug, entry }) => show(slug, entry)).join('\n'),
  );
  if (found.length === 0) out.note('The log is empty.');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
