import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import { Button, Failure, Progress } from '../../../ui/index.ts';
import type { CollectionSchema, CollectionTarget } from '../api.ts';
import { checkFit, type Fit } from './fit.ts';

interface Props {
  target: CollectionTarget;
  /** Undefined while the text is not a schema. */
  schema: CollectionSchema | undefined;
  /** The number of saves. The records are checked after each one. */
  saves: number;
}

/** Checks existing records against the schema on the screen. */
export function FitCheck({ target, schema, saves }: Props) {
  const [fit, setFit] = useState<Fit>();
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const [failure, setFailure] = useState<Error>();
  const work = useRef(new AbortController());
  useEffect(() => () => work.current.abort(), []);
  const asked = JSON.stringify(schema);
  useEffect(() => setFit(undefined), [asked]);

  const check = async () => {
    if (!schema) return;
    setFailure(undefined);
    setProgress({ done: 0, total: 0 });
    try {
      const { signal } = work.current;
      setFit(
        await checkFit(target, schema, { signal, onProgress: (done, total) => setProgress({ done, total }) }),
      );
    } catch (error) {
      if (!work.current.signal.aborted) throw error;
    } finally {
      setProgress(undefined);
    }
  };
  useEffect(() => {
    if (saves > 0) check().catch(setFailure);
  }, [saves]);
  return (
    <div class="schema-fit">
      <div class="actions">
        <Button kind="quiet" disabled={!schema} onClick={check}>
          {t('Check existing records')}
        </Button>
        <span role="status">{fit && sentence(fit)}</span>
      </div>
      <p class="hint">{t('A schema does not change existing records.')}</p>
      {failure && <Failure error={failure} />}
      {progress && <Progress label={t('Checking')} {...progress} />}
      {fit && fit.shown.length > 0 && (
        <ul class="data-faults">
          {fit.shown.map(({ id, faults }) => (
            <li key={id}>
              <code title={id}>…{id.slice(-8)}</code> {faults.slice(0, 5).join('; ')}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function sentence({ checked, total, misfits }: Fit): string {
  if (total === 0) return t('There are no records yet.');
  const isPart = checked < total;
  if (misfits === 0)
    return isPart
      ? t('All of the oldest {checked} records match.', { checked })
      : t('{checked|The record matches.|All of {checked} records match.}', { checked });
  return isPart
    ? t(
        '{misfits|{misfits} of the oldest {checked} records does not match.|{misfits} of the oldest {checked} records do not match.}',
        { misfits, checked },
      )
    : t('{misfits} of {checked|{checked} record|{checked} records} {misfits|does not match|do not match}.', {
        misfits,
        checked,
      });
}
