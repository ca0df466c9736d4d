import { RANGES } from '../../contract/analytics/analytics.ts';
import { analyticsEndpoints } from '../../contract/analytics/endpoints.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { UsageError } from '../usage.ts';
import { findPageId } from './find.ts';

const MAX_LINES = 10;

/** `quire pages analytics`: how a page is used. */
export const pagesAnalytics: Command = {
  name: 'pages analytics',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'show views, visitors, referrers and errors of a page',
  options: {
    range: { type: 'string', value: RANGES.join('|'), summary: 'the time until now (7d by default)' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const wanted = call.text('range') ?? '7d';
    const range = RANGES.find((each) => each === wanted);
    if (range === undefined) throw new UsageError(`--range must be one of ${RANGES.join(', ')}.`);
    const api = await connect(call);
    const id = await findPageId(api, call.args[0] ?? '');
    const found = await api.call(analyticsEndpoints.getPageAnalytics, { params: { id }, query: { range } });
    const { bold } = call.out.paint;
    const { totals, previousTotals: before } = found;
    const numbers = columns(
      ['', range, 'before'],
      [
        ['visitors', totals.visitors, before.visitors],
        ['views', totals.views, before.views],
        ['errors in browsers', totals.errors, before.errors],
        ['features used', totals.featureUses, before.featureUses],
        ['credits spent', totals.credits, before.credits],
      ],
      bold,
    );
    const referrers = found.referrers
      .slice(0, MAX_LINES)
      .map(({ kind, host, views }) => [host ?? kind, views]);
    const errors = found.recentErrors.map(({ message, source, line, count, lastAt }) => [
      `${source || 'page'}${line === null ? '' : `:${line}`}`,
      count,
      lastAt.slice(0, 16).replace('T', ' '),
      printable(message),
    ]);
    const parts = [
      numbers,
      ...(referrers.length > 0 ? [columns(['from', 'views'], referrers, bold)] : []),
      ...(errors.length > 0 ? [columns(['error at', 'count', 'last (UTC)', 'message'], errors, bold)] : []),
    ];
    call.out.result(found, parts.join('\n\n'));
  },
};
