import { t } from '../../texts/index.ts';
import { Badge, Dialog, Failure, Skeleton, useLoad } from '../../ui/index.ts';
import { type FunctionDetail, readFunction, runSchedule, type Schedule, type ScheduleRun } from '../api.ts';

interface Props {
  item: FunctionDetail;
  schedule: Schedule;
  onChange: (item: FunctionDetail) => void;
  onClose: () => void;
}

/** Runs a schedule now, and shows what it printed and threw. */
export function RunDialog({ item, schedule, onChange, onClose }: Props) {
  const loaded = useLoad(
    async (signal) => {
      const run = await runSchedule(item.slug, schedule.cron);
      onChange(await readFunction(item.slug, signal));
      return run;
    },
    [schedule.cron],
  );
  return (
    <Dialog title={t('Run {name}', { name: schedule.cron })} onClose={onClose} wide>
      {loaded.error ? (
        <Failure error={loaded.error} />
      ) : loaded.value ? (
        <Outcome run={loaded.value} />
      ) : (
        <>
          <p>{t('Running…')}</p>
          <Skeleton lines={3} />
        </>
      )}
    </Dialog>
  );
}

const RESULTS: Record<string, string> = {
  ok: t('ok'),
  error: t('error'),
  interrupted: t('interrupted'),
  running: t('running'),
};

/** How a run ended, in a word. */
export const resultText = (result: string) => RESULTS[result] ?? result;

function Outcome({ run }: { run: ScheduleRun }) {
  const kind = run.result === 'ok' ? 'good' : run.result === 'error' ? 'bad' : 'warn';
  const lines = [...run.logs.map(({ message }) => message), ...(run.exception ? [run.exception.stack] : [])];
  return (
    <>
      <p>
        <Badge kind={kind}>{resultText(run.result)}</Badge>{' '}
        {run.result === 'running'
          ? t('It goes on. The log will say how it ends.')
          : t('{ms} ms', { ms: run.durationMs })}
      </p>
      {run.error && <p>{run.error}</p>}
      {lines.length === 0 ? (
        <p class="hint">{t('It printed nothing.')}</p>
      ) : (
        <pre class="fn-run">{lines.join('\n')}</pre>
      )}
      {run.logsTruncated && <p class="hint">{t('It printed more. See the log.')}</p>}
    </>
  );
}
