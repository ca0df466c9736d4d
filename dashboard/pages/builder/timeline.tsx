import { useEffect, useState } from 'preact/hooks';
import type { BuilderRun as Run } from '../../../contract/agents/builder.ts';
import { t } from '../../texts/index.ts';
import { Icon, type IconName } from '../../ui/index.ts';
import type { RunState } from './run.ts';
import { describeProblem, describeStep, type Step } from './words.ts';

/** A model that is silent for this long may not come back. */
const QUIET_MS = 15_000;

/** What the builder says and does, in order, as it happens. */
export function Timeline({ state, run }: { state: RunState; run: Run }) {
  const isRunning = run.state === 'running';
  const now = useClock(isRunning);
  const last = run.entries.at(-1);
  const isBusy = last?.kind === 'step' && last.endedMs === null;
  return (
    <>
      <ol class="builder-timeline" aria-label={t('Progress')} aria-busy={isRunning}>
        {run.entries.map((entry, index) =>
          entry.kind === 'text' ? (
            <li key={index} class="builder-said">
              <p>{entry.text.trim()}</p>
            </li>
          ) : (
            <TimelineStep key={index} step={entry} elapsedMs={now - state.beganAt} />
          ),
        )}
        {isRunning && !isBusy && last?.kind !== 'text' && (
          <li class="builder-step running">
            <span class="builder-mark" aria-hidden="true" />
            <span>{sayThought(run)}</span>
          </li>
        )}
      </ol>
      {isRunning && state.isConnected && now - state.heardAt > QUIET_MS && (
        <p class="hint builder-quiet">{t('The model is taking its time. The builder waits for it.')}</p>
      )}
      {/* Not every word: whole texts, and each step. */}
      <p class="for-readers" role="log" aria-live="polite">
        {spoken(run)}
      </p>
    </>
  );
}

const ICONS: Partial<Record<Step['state'], IconName>> = { done: 'check', failed: 'warning' };

function TimelineStep({ step, elapsedMs }: { step: Step; elapsedMs: number }) {
  const { state, startedMs, endedMs, problems } = step;
  const icon = problems?.length ? 'warning' : ICONS[state];
  const seconds = Math.max(0, Math.round(((endedMs ?? elapsedMs) - startedMs) / 1000));
  return (
    <li class={`builder-step ${problems?.length ? 'failed' : state}`}>
      <span class="builder-mark">{icon && <Icon name={icon} size={14} />}</span>
      <span>
        {describeStep(step)}
        {state === 'failed' && <span class="builder-failed"> {t('did not work')}</span>}
      </span>
      {seconds > 0 && <time>{t('{seconds} s', { seconds: String(seconds) })}</time>}
      {problems && problems.length > 0 && (
        <ul>
          {problems.map((problem, index) => (
            <li key={index}>
              {describeProblem(problem)}
              {problem.line !== undefined && (
                <span class="faint"> {t('line {line}', { line: String(problem.line) })}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function sayThought({ entries }: Run): string {
  if (entries.length === 0) return t('Thinking about your page');
  const last = entries.findLast((entry) => entry.kind === 'step');
  return last?.problems?.length ? t('Fixing what the browser found') : t('Thinking');
}

/** The last step, or the last text if it is complete. */
function spoken({ entries, state }: Run): string {
  const last = entries.at(-1);
  if (last?.kind === 'step') return describeStep(last);
  return last && state !== 'running' ? last.text : '';
}

/** What happens now, in a few words. */
export function sayNow({ status, run, isStopping }: RunState): string {
  if (isStopping) return t('Stopping…');
  if (status === 'starting') return t('Starting…');
  if (!run) return '';
  if (run.state === 'running') {
    const last = run.entries.at(-1);
    return last?.kind === 'step' && last.endedMs === null ? describeStep(last) : sayThought(run);
  }
  if (run.state !== 'done') return t('Stopped');
  return run.draft ? t('Ready') : t('Waiting for you');
}

/** The time, each second while it is needed. */
function useClock(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
