import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { MAX_DIFF, MAX_DIFFS, MAX_TRIES } from '../../../contract/repairs/kinds.ts';
import type { Evidence, Replay } from '../../../contract/repairs/repairs.ts';
import { unifiedDiff } from '../../../contract/rules/texts/unified-diff.ts';
import { requireApi } from '../../platform/http/index.ts';
import type { RepairsContext } from './context.ts';
import { replay, type Stage } from './replay.ts';

/** Texts that are longer are not compared line by line. */
const MAX_COMPARED = 512 * 1024;

/** Tries until the error happens, or often enough. */
export async function replayUntilItFails(context: RepairsContext, stage: Stage): Promise<Replay> {
  for (let tries = 1; ; tries++) {
    const result = await replay(context, stage);
    if (result.failed || tries === MAX_TRIES) return { ...result, tries };
  }
}

/** Tries as often as it took before. The first failure counts. */
export async function replayAgain(context: RepairsContext, stage: Stage, { tries }: Replay): Promise<Replay> {
  for (let done = 1; ; done++) {
    const result = await replay(context, stage);
    if (result.failed || done === tries) return { ...result, tries: done };
  }
}

/** Whether everything that could be done before can still be done. */
export function canStillDo(before: Replay, after: Replay): boolean {
  return before.steps.every(({ state }, index) => state !== 'done' || after.steps[index]?.state === 'done');
}

/** Attacks the branch, and the page itself if the branch has serious findings: those that it had before do not count. */
export async function attackBranch(
  context: RepairsContext,
  { branch, caller, signal }: Stage,
): Promise<NonNullable<Evidence['attack']>> {
  const attack = async (id: number) => {
    const exchange = { caller, signal };
    const report = await requireApi(context, exchange, attackEndpoints.attackPage, { params: { id } });
    return report.findings.filter(({ severity }) => severity === 'high');
  };
  const after = await attack(branch.page.id);
  if (after.length === 0) return { before: 0, after: 0, findings: [] };
  const before = await attack(branch.of);
  const known = new Set(before.map(({ key }) => key));
  const fresh = after.filter(({ key }) => !known.has(key));
  return {
    ...{ before: before.length, after: after.length },
    findings: fresh.map(({ title }) => title),
    new: fresh.map(({ kind, name, fields }) => ({ kind, name, fields })),
  };
}

/** What was changed, file by file, as `diff -u` writes it. */
export async function compareTexts(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<Evidence['changes']> {
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  const changes: Evidence['changes'] = [];
  for (const path of paths.slice(0, MAX_DIFFS)) {
    const [old = '', now = ''] = [before.get(path), after.get(path)];
    const isLong = Math.max(old.length, now.length) > MAX_COMPARED;
    const lines = isLong ? [] : await unifiedDiff(old, now);
    changes.push({ path, diff: lines.join('\n').slice(0, MAX_DIFF).toWellFormed() });
  }
  return changes;
}
