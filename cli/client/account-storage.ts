import type { StorageReport } from '../../contract/accounts/home/storage.ts';
import { accountEndpoints } from '../../contract/accounts/own-account-endpoints.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { saySize } from '../terminal/amounts.ts';
import { columns } from '../terminal/columns.ts';
import { connect } from './connect.ts';

export const showStorage: Command = {
  name: 'account storage',
  usage: '',
  args: [0, 0],
  summary: 'show what uses your storage and credits',
  options: SERVER_OPTION,
  notes:
    'The largest come first, each with the path of the screen where it can be deleted. With --json, everything is there.',
  async run(call) {
    const api = await connect(call);
    const report = await api.call(accountEndpoints.getStorage, {});
    call.out.result(report, sayReport(call, report));
  },
};

function sayReport({ out }: Call, report: StorageReport): string {
  const { bytes, quota, history, pages, functions, credits } = report;
  const things = [
    ...pages.map((page) => ({ ...page, what: 'page', id: String(page.id) })),
    ...functions.map((each) => ({ ...each, what: 'function', id: each.slug })),
  ].sort((a, b) => b.bytes - a.bytes);
  const rows = things.map(({ what, id, name, bytes: size, parts }) => [
    ...[what, id, name, saySize(size)],
    parts.map((part) => `${part.kind} ${saySize(part.bytes)}`).join(', '),
    parts[0]?.path ?? '',
  ]);
  const limit = quota === null ? '' : ` of ${saySize(quota)}`;
  const lines = [
    `${saySize(bytes)}${limit} used. Earlier states take ${saySize(history.bytes)}, which do not count.`,
  ];
  if (rows.length > 0)
    lines.push('', columns(['', 'id', 'name', 'size', 'of that', 'delete at'], rows, out.paint.bold));
  if (credits.pages.length > 0)
    lines.push(
      '',
      `${credits.spent} credits spent in ${credits.days} days:`,
      columns(
        ['page', 'credits'],
        credits.pages.map(({ id, name, spent }) => [
          name ?? (id === null ? 'without a page' : `page ${id}`),
          spent,
        ]),
        out.paint.bold,
      ),
    );
  return lines.join('\n');
}
