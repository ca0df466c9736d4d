import type { PageCheck } from '../checks/page-check.ts';
import {
  MAX_GROWING_HTML,
  MAX_PROBLEM_LETTERS,
  MAX_RUN_ENTRIES,
  MAX_RUN_PROBLEMS,
  MAX_RUN_TEXT,
} from '../rules/builder-limits.ts';
import type { BuilderEntry, BuilderEvent, BuilderProblem, BuilderRun } from './builder.ts';

/** What a run of the builder has become by its events. The service and the dashboard use the same rules. */

type EventOf<Type extends BuilderEvent['type']> = Extract<BuilderEvent, { type: Type }>;
type Changes = NonNullable<BuilderRun['changes']>;
type Step = Extract<BuilderEntry, { kind: 'step' }>;

/** The name of the step that looks at the draft in a browser. */
export const CHECK_STEP = 'check_draft';

/** Adds an event to a run. */
export function addToRun(run: BuilderRun, event: BuilderEvent): BuilderRun {
  switch (event.type) {
    case 'run':
      return event.run ?? run;
    case 'page':
      return { ...run, page: event.page };
    case 'text':
      return { ...run, entries: addText(run.entries, event.content) };
    case 'html':
      return { ...run, html: addHtml(event.isFirst ? '' : run.html, event.content) };
    case 'tool':
      return { ...run, ms: event.ms, entries: setStep(run.entries, event) };
    case 'draft':
      return { ...run, html: null, draft: { draft: event.draft, revision: event.revision } };
    case 'function':
      return { ...run, functions: [...new Set([...run.functions, event.slug])] };
    case 'change':
      return { ...run, changes: addChange(run.changes ?? [], event) };
    case 'check':
      return { ...run, reason: event.reason, entries: addProblems(run.entries, event.check) };
    case 'done':
      return end({ ...run, state: 'done', end: event }, event.draft);
    case 'error':
      return end({ ...run, state: 'failed', failure: event }, event.draft);
  }
}

/** Each function once: what it was before the first change, and what it is after the last. */
function addChange(changes: Changes, { slug, from, to }: Changes[number]): Changes {
  const known = changes.find((each) => each.slug === slug);
  return [...changes.filter((each) => each !== known), { slug, from: known?.from ?? from, to }];
}

function addText(entries: BuilderEntry[], text: string): BuilderEntry[] {
  const kept = entries.reduce((sum, entry) => sum + (entry.kind === 'text' ? entry.text.length : 0), 0);
  const added = text.slice(0, MAX_RUN_TEXT - kept);
  if (added === '') return entries;
  const last = entries.at(-1);
  if (last?.kind === 'text') return [...entries.slice(0, -1), { kind: 'text', text: last.text + added }];
  return added.trim() === '' ? entries : addEntry(entries, { kind: 'text', text: added });
}

const addEntry = (entries: BuilderEntry[], entry: BuilderEntry) =>
  entries.length < MAX_RUN_ENTRIES ? [...entries, entry] : entries;

/** Null from the first piece that is too much: half a document would look like a broken one. */
function addHtml(before: string | null, piece: string): string | null {
  if (before === null || before.length + piece.length > MAX_GROWING_HTML) return null;
  return before + piece;
}

function setStep(entries: BuilderEntry[], { id, name, state, summary, ms }: EventOf<'tool'>): BuilderEntry[] {
  const isOver = state === 'done' || state === 'failed';
  const index = entries.findIndex((entry) => entry.kind === 'step' && entry.id === id);
  const known = entries[index] as Step | undefined;
  const step: Step = {
    ...(known ?? { kind: 'step', id, startedMs: ms, problems: null }),
    name,
    state,
    summary,
    endedMs: isOver ? ms : null,
  };
  return known ? entries.with(index, step) : addEntry(entries, step);
}

function addProblems(entries: BuilderEntry[], check: PageCheck | null): BuilderEntry[] {
  const index = entries.findLastIndex((entry) => entry.kind === 'step' && entry.name === CHECK_STEP);
  const step = entries[index] as Step | undefined;
  return check && step ? entries.with(index, { ...step, problems: listProblems(check) }) : entries;
}

/** What a browser found, as far as it has to be fixed. */
function listProblems({ errors, console, failedRequests, screenshot }: PageCheck): BuilderProblem[] {
  const found: BuilderProblem[] = [
    ...(screenshot ? [] : [{ kind: 'drawing' as const, text: '' }]),
    ...errors.map(({ message, line }) => ({ kind: 'script' as const, text: message, ...at(line) })),
    ...console
      .filter(({ level }) => level === 'error')
      .map(({ text, line }) => ({ kind: 'console' as const, text, ...at(line) })),
    ...failedRequests.map(({ url, status }) => ({ kind: 'request' as const, text: url, status })),
  ];
  return found
    .slice(0, MAX_RUN_PROBLEMS)
    .map((problem) => ({ ...problem, text: problem.text.slice(0, MAX_PROBLEM_LETTERS) }));
}

const at = (line: number | undefined) => (line === undefined ? {} : { line });

/** Steps that were under way when the run ended have not worked. */
function end(run: BuilderRun, draft: number | null): BuilderRun {
  return {
    ...run,
    entries: endSteps(run),
    // What was written and not saved is shown only if nothing was saved.
    html: draft === null ? run.html : null,
    draft: draft === null ? null : (run.draft ?? { draft, revision: 0 }),
  };
}

function endSteps({ entries, ms }: BuilderRun): BuilderEntry[] {
  return entries.map((entry) =>
    entry.kind === 'step' && entry.endedMs === null ? { ...entry, state: 'failed', endedMs: ms } : entry,
  );
}

/** A run whose server has stopped. */
export const loseRun = (run: BuilderRun): BuilderRun => ({ ...run, state: 'lost', entries: endSteps(run) });
