import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import type { Change } from '../../../contract/pages/branches/changes.ts';
import type { Merged } from '../../../contract/pages/branches/merge.ts';
import { type Call, type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { columns } from '../../terminal/columns.ts';
import { UsageError } from '../../usage.ts';
import { open } from './open.ts';

const DRY_RUN = { type: 'boolean', summary: 'say what would happen, and change nothing' } as const;
const TAKE = {
  branch: {
    type: 'string',
    value: 'path',
    multiple: true,
    summary: 'a path that the branch decides, if both changed it',
  },
  main: { type: 'string', value: 'path', multiple: true, summary: 'a path that stays as it is on the page' },
} as const;

const changes: Command = {
  name: 'pages branches changes',
  usage: '<slug|id> <name> [path]',
  args: [2, 3],
  summary: 'list what differs between a branch and its page; with a path, show it',
  options: {
    conflicts: { type: 'boolean', summary: 'list only what both changed in different ways' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const { api, id, name } = await open(call);
    const path = call.args[2];
    const query = {
      limit: '200',
      ...(path !== undefined && { path }),
      ...(call.flag('conflicts') && { side: 'conflicts' as const }),
    };
    const found = await api.call(branchEndpoints.listBranchChanges, { params: { id, name }, query });
    const [only] = found.changes;
    if (path !== undefined && only?.path === path)
      return void call.out.result(found, showOne(only).split('\n').map(printable).join('\n'));
    const sum = `The branch has ${found.branch} changes, the page ${found.main}; ${found.conflicts} conflict.`;
    const more = found.next === null ? [] : ['There are more. Name a path to see a part of them.'];
    const left = found.left_out.map(({ text }) => text);
    call.out.result(found, [...list(found.changes, call), sum, ...more, ...left].join('\n'));
  },
};

const update: Command = {
  name: 'pages branches update',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'bring the changes of a page to one of its branches',
  options: { 'dry-run': DRY_RUN, ...TAKE, ...SERVER_OPTION },
  async run(call) {
    const { api, id, name } = await open(call);
    const body = { dry_run: call.flag('dry-run'), take: readTake(call) };
    const params = { id, name };
    const result = await api.call(branchEndpoints.updateFromMain, { params, body });
    // The branch has changed, so the moment is one of the branch.
    const { page } = await api.call(branchEndpoints.getBranch, { params });
    say(call, result, { name, changed: page.slug });
  },
};

const merge: Command = {
  name: 'pages branches merge',
  usage: '<slug|id> <name>',
  args: [2, 2],
  summary: 'bring the changes of a branch to its page; into a protected page only people can',
  options: {
    'dry-run': DRY_RUN,
    records: { type: 'boolean', summary: 'merge records too' },
    tables: {
      type: 'string',
      value: 'function/table',
      multiple: true,
      summary: 'merge the rows of this table too, such as order/people',
    },
    confirm: {
      type: 'boolean',
      summary: 'merge although the copy showed errors, or columns and tables are removed',
    },
    ...TAKE,
    ...SERVER_OPTION,
  },
  async run(call) {
    const { api, id, name } = await open(call);
    const body = {
      ...{ dry_run: call.flag('dry-run'), take: readTake(call) },
      ...{ records: call.flag('records'), confirm: call.flag('confirm'), tables: call.texts('tables') },
    };
    const result = await api.call(branchEndpoints.mergeBranch, { params: { id, name }, body });
    say(call, result, { name, changed: call.args[0] ?? '' });
  },
};

export const mergeCommands = [changes, update, merge];

function readTake(call: Call) {
  const take = (['branch', 'main'] as const).flatMap((from) =>
    call.texts(from).map((path) => ({ path, from })),
  );
  if (new Set(take.map(({ path }) => path)).size < take.length)
    throw new UsageError('A path can be in --branch or in --main, not in both.');
  return take;
}

function list(changes: readonly Change[], call: Call): string[] {
  if (changes.length === 0) return [];
  const rows = changes.map(({ path, action, side, conflict }) =>
    [path, action, side, conflict ? 'conflict' : ''].map(printable),
  );
  return [columns(['path', 'action', 'by', ''], rows, call.out.paint.bold)];
}

function showOne({ base, branch, main, merged }: Change): string {
  const parts = { base, branch, main, merged };
  return Object.entries(parts)
    .filter(([, content]) => content !== null)
    .map(([name, content]) => `--- ${name}\n${content?.text ?? `${content?.bytes} bytes that are not text`}`)
    .join('\n');
}

/** `changed` is the slug or id of the page that has changed: to undo it, that page is restored. */
function say(call: Call, result: Merged, { name, changed }: { name: string; changed: string }): void {
  const { summary, left_out, conflicts, conflict_count, undo, rehearsal, dry_run } = result;
  const { problems, needs_confirm } = result;
  const tried = [...(rehearsal?.problems ?? []), ...(rehearsal?.not_tried ? [rehearsal.not_tried] : [])];
  const said = [...summary, ...problems, ...left_out, ...tried].map(({ text }) => printable(text));
  const clash = conflicts.map(({ path }) => printable(`  ${path}`));
  const lines = [
    ...said,
    ...(conflict_count > 0
      ? [`${conflict_count} conflict. Decide each with --branch or --main:`, ...clash]
      : []),
    ...(dry_run && needs_confirm.length > 0
      ? [
          'Removed with what is in them, which needs --confirm:',
          ...needs_confirm.map((path) => printable(`  ${path}`)),
        ]
      : []),
    ...(undo === null ? [] : [`To undo it: quire pages restore ${printable(changed)} ${undo}`]),
  ];
  const heading = dry_run
    ? 'Nothing was changed. This would happen:'
    : `Done with the branch ${printable(name)}.`;
  call.out.result(result, [heading, ...lines].join('\n'));
}
