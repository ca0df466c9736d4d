import { analyticsEndpoints } from '../../../contract/analytics/endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { repairEndpoints } from '../../../contract/repairs/endpoints.ts';
import type { Repair } from '../../../contract/repairs/repairs.ts';
import { DOUBT_WORDS } from '../../../contract/repairs/words.ts';
import { connect } from '../../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../../command.ts';
import { printable } from '../../terminal/colours.ts';
import { columns } from '../../terminal/columns.ts';
import { EXIT, UsageError } from '../../usage.ts';
import { findPageId } from '../find.ts';

const LOOK_EVERY_MS = 1_500;

const repair: Command = {
  name: 'pages repair',
  usage: '<slug|id> <error>',
  args: [2, 2],
  summary: 'let the builder repair an error on a branch, and print the proof',
  options: {
    all: { type: 'boolean', summary: 'copy records and databases as they are, not masked' },
    ...SERVER_OPTION,
  },
  notes:
    'quire pages errors lists the errors of a page with their ids. Exits with 1 unless the repair is proven. It costs credits. Ctrl-C ends the command; the repair goes on.',
  async run(call) {
    const api = await connect(call);
    const [slugOrId = '', fingerprint = ''] = call.args;
    const id = await findPageId(api, slugOrId);
    const body = { data: call.flag('all') ? ('all' as const) : ('masked' as const) };
    let now = await api.call(repairEndpoints.startRepair, { params: { id, fingerprint }, body });
    let shown = '';
    while (now.state === 'running') {
      if (now.step !== shown) call.out.note(`${now.message}…`);
      shown = now.step;
      await Bun.sleep(LOOK_EVERY_MS);
      now = await api.call(repairEndpoints.getRepair, { params: { id, repair: now.id } });
    }
    call.out.result(now, say(now));
    if (now.outcome !== 'repaired') call.exitWith(EXIT.failed);
  },
};

function say({ message, doubts, reason, evidence, branch }: Repair): string {
  const { before, after, check, attack, changes } = evidence;
  const lines = [
    message,
    ...doubts.map((doubt) => DOUBT_WORDS[doubt].text),
    ...(reason ? [reason.message] : []),
    ...(before ? [`before: ${before.failed ? `fails: ${before.error}` : 'does not fail'}`] : []),
    ...(after ? [`after: ${after.failed ? `fails: ${after.error}` : 'does not fail'}`] : []),
    ...(check ? [`errors when it is opened: ${check.before} before, ${check.after} after`] : []),
    ...(attack ? [`attack: ${attack.findings.length} new and serious`] : []),
    ...changes.flatMap(({ path, diff }) => [`--- ${path}`, ...diff.split('\n')]),
    ...(branch ? [`Look at it: ${branch.review}`] : []),
  ];
  return lines.map(printable).join('\n');
}

const repairs: Command = {
  name: 'pages repairs',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the repairs of a page; --on or --off says whether errors are repaired',
  options: {
    on: { type: 'boolean', summary: 'keep what leads to errors, so that they can be repaired' },
    off: { type: 'boolean', summary: 'keep nothing from now on' },
    stop: { type: 'string', value: 'id', summary: 'stop a repair that is under way' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const api = await connect(call);
    const [slugOrId = ''] = call.args;
    const id = await findPageId(api, slugOrId);
    const [isOn, isOff, stopped] = [call.flag('on'), call.flag('off'), call.text('stop')];
    if (isOn && isOff) throw new UsageError('Use --on or --off, not both.');
    if (isOn || isOff) await api.call(pageEndpoints.updatePage, { params: { id }, body: { repair: isOn } });
    if (stopped) await api.call(repairEndpoints.cancelRepair, { params: { id, repair: stopped } });
    const list = await api.call(repairEndpoints.listRepairs, { params: { id } });
    const rows = list.repairs.map(({ id: repair, outcome, about }) => [
      repair,
      outcome ?? 'running',
      about.message,
    ]);
    const state = list.enabled ? `Repairs are on; ${list.left} left today.` : 'Repairs are off. Add --on.';
    call.out.note(state);
    call.out.result(list, toTable(call, ['id', 'outcome', 'error'], rows, 'There are no repairs.'));
  },
};

const errors: Command = {
  name: 'pages errors',
  usage: '<slug|id>',
  args: [1, 1],
  summary: 'list the errors in visitors’ browsers, with their ids',
  options: SERVER_OPTION,
  async run(call) {
    const api = await connect(call);
    const [slugOrId = ''] = call.args;
    const params = { id: await findPageId(api, slugOrId) };
    const list = await api.call(analyticsEndpoints.listPageErrors, { params });
    const rows = list.errors.map(({ fingerprint, count, context, message }) => [
      fingerprint,
      String(count),
      context ? 'yes' : 'no',
      message,
    ]);
    const heads = ['id', 'count', 'repairable', 'error'];
    call.out.result(list, toTable(call, heads, rows, 'There are no errors.'));
  },
};

function toTable(call: Call, heads: string[], rows: string[][], none: string): string {
  if (rows.length === 0) return none;
  return columns(
    heads,
    rows.map((row) => row.map(printable)),
    call.out.paint.bold,
  );
}

/** Errors of pages and their repairs. */
export const repairsCommands: Command[] = [errors, repair, repairs];
