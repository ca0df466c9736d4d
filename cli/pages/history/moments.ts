import { momentEndpoints } from '../../../contract/pages/history/moment-endpoints.ts';
import { PARTS, type Part } from '../../../contract/pages/history/moments.ts';
import { connect } from '../../client/connect.ts';
import { type Call, type Command, type Option, SERVER_OPTION } from '../../command.ts';
import { count } from '../../terminal/amounts.ts';
import { printable } from '../../terminal/colours.ts';
import { columns } from '../../terminal/columns.ts';
import { UsageError } from '../../usage.ts';
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

/** What `pages restore` takes with a time. */
export const RESTORE_OPTIONS: Record<string, Option> = {
  parts: {
    type: 'string',
    value: 'list',
    summary: `with a time: restore only these, with commas between them: ${PARTS.join(', ')}`,
  },
  collections: {
    type: 'string',
    value: 'list',
    summary: 'with a time: restore the records of these collections only, with commas between them',
  },
  'dry-run': { type: 'boolean', summary: 'with a time: say what would change, and change nothing' },
};

/** A version has no parts to choose. */
export function assertNoTimeOptions(call: Call): void {
  const given = ['parts', 'collections'].find((name) => call.text(name) !== undefined);
  const found = given ?? (call.flag('dry-run') ? 'dry-run' : undefined);
  if (found) throw new UsageError(`--${found} needs a time: a version is restored as a whole.`);
}

/** Restores a page as it was at a time: everything, or what the options name. */
export async function restoreMoment(call: Call): Promise<void> {
  const [slugOrId = '', at = ''] = call.args;
  const choice = readChoice(call);
  const api = await connect(call);
  const restored = await api.call(momentEndpoints.restoreMoment, {
    params: { id: await findPageId(api, slugOrId) },
    body: { at, ...choice, dry_run: call.flag('dry-run') },
  });
  const { changes, undo } = restored;
  const parts = [
    changes.page_version !== undefined && `version ${changes.page_version} of the page`,
    changes.functions.length > 0 && `functions: ${changes.functions.map(({ slug }) => slug).join(', ')}`,
    changes.databases.length > 0 && `databases of ${changes.databases.join(', ')}`,
    changes.records > 0 && count(changes.records, 'record'),
  ].filter((part) => part !== false);
  const what = parts.length === 0 ? 'nothing' : parts.join('; ');
  const left = changes.not_restored.map(
    ({ part, name, reason }) => `Not restored: ${part} ${name}. ${reason}`,
  );
  const old = Object.entries(changes.database_times ?? {}).map(
    ([slug, time]) =>
      `The database of ${slug} is as of ${time}: in a cluster, databases are copied once an hour.`,
  );
  const done =
    undo === null ? `Would change: ${what}.` : `Restored ${restored.at}: ${what}. Undo it with ${undo}.`;
  call.out.done(restored, printable([done, ...old, ...left].join('\n')));
}

/** The parts and collections that the options name. */
function readChoice(call: Call): { parts?: Part[]; collections?: string[] } {
  const parts = readList(call, 'parts');
  const collections = readList(call, 'collections');
  const unknown = parts?.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined)
    throw new UsageError(`There is no part ${unknown}. The parts are ${PARTS.join(', ')}.`);
  if (collections && parts && !parts.includes('records'))
    throw new UsageError(
      '--collections chooses among records: add records to --parts, or leave one of the two out.',
    );
  return {
    ...(parts && { parts: parts as Part[] }),
    ...(collections && { collections }),
  };
}

function readList(call: Call, option: string): string[] | undefined {
  const given = call.text(option);
  if (given === undefined) return undefined;
  const names = given.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`--${option} has an empty name. Write names with commas between them.`);
  return names;
}
