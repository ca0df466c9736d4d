import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLeavingGuard } from '../../../../router.tsx';
import { t } from '../../../../texts/index.ts';
import { Button, Dialog, Progress, say } from '../../../../ui/index.ts';
import type { CollectionTarget, Operation } from '../../api.ts';
import { type BulkProgress, type BulkResult, runBulk, type Selected } from './run-bulk.ts';

interface Props {
  target: CollectionTarget;
  selected: Selected;
  title: string;
  /** The form that starts the work. */
  children: (start: (toOperation: (id: string) => Operation) => Promise<void>) => ComponentChildren;
  /** `12 records deleted`. */
  sayDone: (count: number) => string;
  /** Called when the dialog is closed after something was done. */
  onDone: () => void;
  onClose: () => void;
}

/** Works on many records: a form, then the progress, then exactly what happened. */
export function BulkDialog({ target, selected, title, children, sayDone, onDone, onClose }: Props) {
  const [progress, setProgress] = useState<BulkProgress>();
  const [result, setResult] = useState<BulkResult>();
  const isCanceled = useRef(false);
  useLeavingGuard(progress !== undefined && result === undefined);
  // Leaving the screen ends the work.
  useEffect(
    () => () => {
      isCanceled.current = true;
    },
    [],
  );
  const start = async (toOperation: (id: string) => Operation) => {
    setProgress({ phase: 'working', done: 0, total: countSelected(selected) });
    const options = { isCanceled: () => isCanceled.current, onProgress: setProgress };
    try {
      const outcome = await runBulk(target, selected, toOperation, options);
      if (!isWhole(outcome)) return setResult(outcome);
      say(`${sayDone(outcome.done)}.`);
      onDone();
    } finally {
      setProgress(undefined);
    }
  };
  const close = () => {
    if (progress) isCanceled.current = true;
    else if (result) onDone();
    else onClose();
  };
  return (
    <Dialog title={title} onClose={close}>
      {progress && <Running progress={progress} onCancel={close} />}
      {result && <Outcome result={result} sayDone={sayDone} onClose={onDone} />}
      {!result && <div hidden={progress !== undefined}>{children(start)}</div>}
    </Dialog>
  );
}

/** True if there is nothing to report but the number. */
const isWhole = ({ refused, gone, left, failure }: BulkResult) =>
  refused.size === 0 && gone === 0 && left === 0 && failure === undefined;

export const countSelected = (selected: Selected) =>
  selected.kind === 'ids' ? selected.ids.length : selected.total;

function Running({
  progress: { phase, done, total },
  onCancel,
}: {
  progress: BulkProgress;
  onCancel: () => void;
}) {
  const [isStopping, setStopping] = useState(false);
  return (
    <div class="bulk-running">
      <Progress label={phase === 'finding' ? t('Finding the records') : t('Working')} {...{ done, total }} />
      <div class="actions">
        <Button
          kind="quiet"
          disabled={isStopping}
          onClick={() => {
            setStopping(true);
            onCancel();
          }}
        >
          {isStopping ? t('Stopping…') : t('Cancel')}
        </Button>
      </div>
    </div>
  );
}

const SHOWN_REASONS = 5;

function Outcome({ result, sayDone, onClose }: { result: BulkResult } & Pick<Props, 'sayDone' | 'onClose'>) {
  const failed = [...result.refused.values()].reduce((sum, count) => sum + count, 0);
  const isBad = failed > 0 || result.failure !== undefined;
  const words = [
    sayDone(result.done),
    failed > 0 && t('{failed} failed', { failed }),
    result.gone > 0 && t('{gone|1 was already gone|{gone} were already gone}', { gone: result.gone }),
    result.left > 0 && t('{left} not tried', { left: result.left }),
  ];
  return (
    <div class="bulk-outcome">
      <div class={`notice ${isBad ? 'bad' : 'good'}`} role="status">
        <p>
          {result.isCanceled && `${t('Canceled.')} `}
          {words.filter(Boolean).join(', ')}.
        </p>
      </div>
      {result.failure && <p>{result.failure.message}</p>}
      {failed > 0 && (
        <ul class="data-faults">
          {[...result.refused].slice(0, SHOWN_REASONS).map(([reason, count]) => (
            <li key={reason}>
              {t('{count|1 record|{count} records}', { count })}: {reason}
            </li>
          ))}
        </ul>
      )}
      {result.refused.size > SHOWN_REASONS && (
        <p class="hint">{t('Only the first {count} reasons are shown.', { count: SHOWN_REASONS })}</p>
      )}
      <div class="actions">
        <Button onClick={onClose}>{t('Close')}</Button>
      </div>
    </div>
  );
}
