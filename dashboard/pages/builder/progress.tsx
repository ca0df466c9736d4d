import { t } from '../../texts/index.ts';
import { Button, Icon } from '../../ui/index.ts';
import type { BuilderRun, RunEntry, RunState } from './run.ts';
import { describeCall } from './words.ts';

const ICONS = { writing: 'edit', running: 'clock', done: 'check', failed: 'close' } as const;

/** What the builder says and does, as it happens. */
export function Progress({ run }: { run: BuilderRun }) {
  const state = run.state.value;
  const isRunning = state.status === 'running';
  const isThinking = isRunning && !state.isStopping && !isBusy(state.entries.at(-1));
  return (
    <section class="builder-progress" aria-label={t('Progress')} aria-busy={isRunning}>
      <ol>
        {state.entries.map((entry, index) => (
          <li key={index}>{entry.kind === 'text' ? <p>{entry.text.trim()}</p> : <Step step={entry} />}</li>
        ))}
        {isThinking && (
          <li>
            <p class="builder-step running">
              <span class="builder-dots" aria-hidden="true" />
              {state.check ? t('Fixes what the browser found') : t('Thinks')}
            </p>
          </li>
        )}
      </ol>
      {/* Not every word: whole texts, and each step. */}
      <p class="for-readers" role="log" aria-live="polite">
        {spoken(state)}
      </p>
      {isRunning && (
        <Button kind="quiet" onClick={run.stop} disabled={state.isStopping}>
          {state.isStopping ? t('Stopping…') : t('Stop')}
        </Button>
      )}
    </section>
  );
}

function Step({ step: { name, summary, state } }: { step: Extract<RunEntry, { kind: 'tool' }> }) {
  return (
    <p class={`builder-step ${state}`}>
      <Icon name={ICONS[state]} size={16} />
      {describeCall(name, summary)}
      {state === 'failed' && <span class="hint">{t('did not work')}</span>}
    </p>
  );
}

/** The last step, or the last text if it is complete. */
function spoken({ entries, status }: RunState): string {
  const last = entries.at(-1);
  if (last?.kind === 'tool') return describeCall(last.name, last.summary);
  return last && status !== 'running' ? last.text : '';
}

const isBusy = (entry: RunEntry | undefined) =>
  entry?.kind === 'text' ||
  (entry?.kind === 'tool' && (entry.state === 'writing' || entry.state === 'running'));
