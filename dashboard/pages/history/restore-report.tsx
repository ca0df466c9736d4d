import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, IconButton, Progress } from '../../ui/index.ts';
import type { RestoreState } from './api.ts';
import { NotRestored } from './restore-panel.tsx';
import type { Restoring } from './use-restore.ts';
import { formatExact, sayChanges } from './words.ts';

/** For how long the last restore is reported. Its moment can be restored after that too. */
const REPORTED_MS = 24 * 3600 * 1000;

/** How far a restore is, or how it ended, with a way to undo it. */
export function RestoreReport({ pageId, restoring }: { pageId: number; restoring: Restoring }) {
  const { last, wish, isRunning, failure } = restoring;
  const key = `quire restore seen ${pageId}`;
  const [seen, setSeen] = useState(() => localStorage.getItem(key));
  if (isRunning) return <Running last={last?.finished_at === null ? last : undefined} at={wish?.at} />;
  const isOld = !last?.finished_at || Date.now() - Date.parse(last.finished_at) > REPORTED_MS;
  const dismiss = () => {
    localStorage.setItem(key, last?.started_at ?? '');
    setSeen(last?.started_at ?? '');
  };
  return (
    <>
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      {last && !isOld && seen !== last.started_at && (
        <Ended last={last} restoring={restoring} onDismiss={dismiss} />
      )}
    </>
  );
}

const STEPS = ['moment', 'page', 'databases', 'records'];

function Running({ last, at }: { last: RestoreState | undefined; at: string | undefined }) {
  const step = last?.step ?? 'moment';
  const texts: Record<string, string> = {
    moment: t('Keeping everything as it is now'),
    page: t('The page and its functions'),
    databases: t('Databases'),
    records: t('Records'),
    undone: t('A step failed: everything goes back to how it was'),
  };
  const moment = formatExact(last?.at ?? at ?? '');
  const label = last?.by
    ? t('{name} goes back to {moment}', { name: last.by, moment })
    : t('Going back to {moment}', { moment });
  const done = STEPS.indexOf(step);
  return (
    <div class="notice restore-running" role="status">
      <Progress
        label={label}
        note={texts[step] ?? ''}
        {...(done >= 0 && { done: done + 0.5, total: STEPS.length })}
      />
    </div>
  );
}

interface EndedProps {
  last: RestoreState;
  restoring: Restoring;
  onDismiss: () => void;
}

function Ended({ last, restoring, onDismiss }: EndedProps) {
  const { at, by, parts, collections, step, undo, changes, not_undone } = last;
  if (step !== 'done')
    return (
      <div class="notice bad restore-ended" role="alert">
        <div>
          <p>
            {step === 'failed'
              ? t(
                  'Going back to {moment} failed. What follows is not as it was before; everything else is.',
                  {
                    moment: formatExact(at),
                  },
                )
              : t(
                  'Going back to {moment} failed, and everything is as it was before. Try again, or choose fewer parts.',
                  { moment: formatExact(at) },
                )}
          </p>
          <NotRestored parts={not_undone} />
        </div>
        <Button
          kind="quiet"
          onClick={() => restoring.start({ at, parts, collections: collections ?? undefined })}
        >
          {t('Try again')}
        </Button>
        <IconButton icon="close" label={t('Dismiss')} onClick={onDismiss} />
      </div>
    );
  const said = changes ? sayChanges(changes) : '';
  return (
    <div class="notice good restore-ended" role="status">
      <div>
        <p>
          <strong>{t('Back at {moment}', { moment: formatExact(at) })}</strong>
          {by && ` · ${by}`}
        </p>
        <p>{said ? t('Restored: {changes}.', { changes: said }) : t('Nothing had to change.')}</p>
        {changes && <NotRestored parts={changes.not_restored} />}
      </div>
      {undo && (
        <Button
          kind="quiet"
          icon="undo"
          onClick={() => restoring.start({ at: undo, parts, collections: collections ?? undefined })}
        >
          {t('Undo')}
        </Button>
      )}
      <IconButton icon="close" label={t('Dismiss')} onClick={onDismiss} />
    </div>
  );
}
