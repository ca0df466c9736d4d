import { setTimeout as pause } from 'node:timers/promises';
import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { draftEndpoints } from '../../../contract/pages/draft-endpoints.ts';
import type { RepairOutcome, RepairStep } from '../../../contract/repairs/kinds.ts';
import { notFound } from '../../lib/errors.ts';
import { requireApi } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { RepairsContext } from './context.ts';
import { attackBranch, canStillDo, compareTexts, replayAgain, replayUntilItFails } from './evidence.ts';
import { limitsFor, toPrompt } from './prompt.ts';
import { checkBranch, listComplaints, type Stage } from './replay.ts';
import { type Report, toReason } from './report.ts';

/** How often to look whether the branch is ready. */
const LOOK_EVERY_MS = 250;
const END_MS = 15_000;
/** What the model says is shown, not kept in full. */
const MAX_SAID = 2_000;

/** A repair that is under way. */
export interface Job extends Omit<Stage, 'isOpen'> {
  main: PageRow;
  report: Report;
  /** Notes how far it is. */
  save(): Promise<void>;
}

/** Repairs the error on its branch, and proves it. */
export async function repair(context: RepairsContext, job: Job): Promise<RepairOutcome> {
  const { report } = job;
  const stage: Stage = { ...job, branch: await waitForBranch(context, job), isOpen: isOpen(job.main) };
  const page = await readBranch(context, stage);
  if (stage.isOpen) await setAccess(context, stage, 'public');
  const texts = await context.readTexts(page);

  await enter(job, 'before');
  const complaints = await findComplaints(context, stage);
  const before = await replayUntilItFails(context, stage);
  report.evidence.before = before;
  if (!before.failed) return 'not_reproduced';

  await enter(job, 'build');
  await build(context, stage, job, before.error);
  report.evidence.changes = await compareTexts(
    texts,
    await context.readTexts(await readBranch(context, stage)),
  );
  if (report.evidence.changes.length === 0) return report.reason ? 'failed' : 'unchanged';

  await enter(job, 'after');
  const after = await replayAgain(context, stage, before);
  report.evidence.after = after;
  if (after.failed) report.doubts.push('still');
  else if (!canStillDo(before, after)) report.doubts.push('steps');
  if (after.others.some((each) => !before.others.includes(each))) report.doubts.push('errors');

  await enter(job, 'check');
  await check(context, stage, job, complaints);

  await enter(job, 'attack');
  await attack(context, stage, job);
  return report.doubts.length === 0 ? 'repaired' : 'not_repaired';
}

async function enter({ report, save, signal }: Job, step: RepairStep): Promise<void> {
  signal.throwIfAborted();
  report.step = step;
  await save();
}

const isOpen = ({ access_mode, is_published }: PageRow) => access_mode === 'public' && is_published === 1;

async function waitForBranch(context: RepairsContext, { branch, caller, signal }: Job): Promise<Branch> {
  const params = { id: branch.of, name: branch.name };
  for (let now = branch; ; await pause(LOOK_EVERY_MS, undefined, { signal })) {
    if (now.state === 'ready') return now;
    now = await requireApi(context, { caller, signal }, branchEndpoints.getBranch, { params });
  }
}

async function readBranch({ db, pages }: RepairsContext, { branch }: Stage): Promise<PageRow> {
  const page = await pages.find(db, String(branch.page.id));
  if (!page) throw notFound('This page was not found.');
  return page;
}

/** While it is tried, the branch of a page for everyone can be opened by everyone who guesses its name. */
async function setAccess(
  context: RepairsContext,
  { branch, caller }: Pick<Stage, 'branch' | 'caller'>,
  mode: 'public' | 'private',
): Promise<void> {
  // The service itself opens it, also if a program has asked for the repair.
  const { isProgram: _, isForBranches: __, ...actor } = caller.actor;
  const exchange = { caller: { ...caller, actor }, signal: AbortSignal.timeout(END_MS) };
  const params = { id: branch.of, name: branch.name };
  await requireApi(context, exchange, branchEndpoints.updateBranch, { params, body: { access: { mode } } });
}

/** Closes the branch for everyone but its owner. */
export const closeBranch = (context: RepairsContext, job: Job): Promise<void> | undefined =>
  isOpen(job.main) ? setAccess(context, job, 'private') : undefined;

/** Lets the builder work on the branch, and makes its draft the document of the branch. */
async function build(context: RepairsContext, stage: Stage, job: Job, seen: string | null): Promise<void> {
  const { caller, signal, branch } = stage;
  const { report } = job;
  const order = { pageId: branch.page.id, prompt: toPrompt(stage, seen), limits: limitsFor(branch), signal };
  const { run, credits } = await context.builder.work(caller, order);
  report.credits = credits;
  signal.throwIfAborted();
  const said = run.entries.flatMap((entry) => (entry.kind === 'text' ? entry.text : [])).join('\n');
  report.said = said.slice(0, MAX_SAID).toWellFormed() || null;
  if (run.failure) {
    const { message, text, values } = run.failure;
    report.reason = { message, ...(text !== undefined && { text }), ...(values && { values }) };
  } else if (run.end?.outcome !== 'finished') {
    report.reason = { message: run.end?.message ?? 'The builder was stopped.' };
  }
  if (report.reason) report.doubts.push('builder');
  if (!run.draft) return;
  const params = { id: branch.page.id, draft: run.draft.draft };
  await requireApi(context, { caller, signal }, draftEndpoints.publishDraft, { params, body: {} });
}

/** What a browser complains about when the branch is opened. Who cannot open it would see nothing of it. */
const findComplaints = async (context: RepairsContext, stage: Stage): Promise<string[]> =>
  listComplaints(await checkBranch(context, stage, { as: stage.isOpen ? 'nobody' : 'owner' }));

async function check(
  context: RepairsContext,
  stage: Stage,
  { report }: Job,
  before: readonly string[],
): Promise<void> {
  const after = await findComplaints(context, stage);
  const errors = after.filter((each) => !before.includes(each));
  report.evidence.check = { before: before.length, after: after.length, errors };
  if (errors.length > 0 && !report.doubts.includes('errors')) report.doubts.push('errors');
}

/** An attack that is not possible proves nothing, and everything else is still worth showing. */
async function attack(context: RepairsContext, stage: Stage, { report, signal }: Job): Promise<void> {
  try {
    report.evidence.attack = await attackBranch(context, stage);
    if (report.evidence.attack.findings.length > 0) report.doubts.push('attack');
  } catch (error) {
    signal.throwIfAborted();
    report.doubts.push('unattacked');
    report.reason ??= toReason(error);
  }
}
