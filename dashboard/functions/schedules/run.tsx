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

/** The reasons that the service keeps with a run. It keeps them in English, because nobody has asked yet. */
const REASONS: Record<string, string> = {
  'The function threw an exception': t('The function threw an exception'),
  'The run did not end within 5 minutes and was stopped.': t(
    'The run did not end within 5 minutes and was stopped.',
  ),
  'The run was stopped after 30 seconds, because other schedules were waiting.': t(
    'The run was stopped after 30 seconds, because other schedules were waiting.',
  ),
  'The server stopped during the run. It is not repeated.': t(
    'The server stopped during the run. It is not repeated.',
  ),
  'The server that ran it was lost during the run. The run is not repeated.': t(
    'The server that ran it was lost during the run. The run is not repeated.',
  ),
};

/** Why a run failed, in the language of the person if it is one of the usual reasons. */
export const sayReason = (error: string) => REASONS[error] ?? error;

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
      {run.error && <p>{sayReason(run.error)}</p>}
      {lines.length === 0 ? (
        <p class="hint">{t('It printed nothing.')}</p>
      ) : (
        <pre class="fn-run">{lines.join('\n')}</pre>
      )}
      {run.logsTruncated && <p class="hint">{t('It printed more. See the log.')}</p>}
    </>
  );
}
