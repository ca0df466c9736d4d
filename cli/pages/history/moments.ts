import { momentEndpoints } from '../../../contract/pages/history/moment-endpoints.ts';
import { connect } from '../../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { columns } from '../../terminal/columns.ts';
import { findPageId } from '../find.ts';

/** Whether an argument is a time, and not the number of a version. */
export const isTime = (text: string) => /^\d{4}-\d{2}-\d{2}T/.test(text);

export const pagesMoments: Command = {
  name: 'pages moments',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the moments that a page can go back to, or keep one under a name',
  options: {
    keep: { type: 'string', value: 'name', summary: 'keep everything as it is now, until you delete it' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connect(call);
    const [slugOrId = ''] = call.args;
    const params = { id: await findPageId(api, slugOrId) };
    const name = call.text('keep');
    if (name) {
      const moment = await api.call(momentEndpoints.keepMoment, { params, body: { name } });
      call.out.done(moment, printable(`Kept as ${name}, of ${moment.at}.`));
      return;
    }
    const list = await api.call(momentEndpoints.listMoments, { params });
    const rows = list.moments.map(({ at, name: own, causes }) => [
      at,
      own ?? '',
      causes.map(({ text, by }) => (by ? `${text} (${by})` : text)).join(' '),
    ]);
    const none = 'No moments are kept yet. Within a minute of a change there is one.';
    call.out.result(
      list,
      rows.length === 0 ? none : columns(['time', 'name', 'what happened'], rows, call.out.paint.bold),
    );
  },
};

/** Restores everything of a page as it was at a time. */
export async function restoreMoment(
  call: Call,
  api: Awaited<ReturnType<typeof connect>>,
  id: number,
): Promise<void> {
  const [, at = ''] = call.args;
  const restored = await api.call(momentEndpoints.restoreMoment, {
    params: { id },
    body: { at, dry_run: call.flag('dry-run') },
  });
  const { changes, undo } = restored;
  const parts = [
    changes.page_version !== undefined && `version ${changes.page_version} of the page`,
    changes.functions.length > 0 && `functions: ${changes.functions.map(({ slug }) => slug).join(', ')}`,
    changes.databases.length > 0 && `databases of ${changes.databases.join(', ')}`,
    changes.records > 0 && `${changes.records} records`,
  ].filter((part) => part !== false);
  const what = parts.length === 0 ? 'nothing' : parts.join('; ');
  const left = changes.not_restored.map(
    ({ part, name, reason }) => `Not restored: ${part} ${name}. ${reason}`,
  );
  const done =
    undo === null ? `Would change: ${what}.` : `Restored ${restored.at}: ${what}. Undo it with ${undo}.`;
  call.out.done(restored, printable([done, ...left].join('\n')));
}
