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
    <Dialog title={`Run ${schedule.cron}`} onClose={onClose} wide>
      {loaded.error ? (
        <Failure error={loaded.error} />
      ) : loaded.value ? (
        <Outcome run={loaded.value} />
      ) : (
        <>
          <p>Running…</p>
          <Skeleton lines={3} />
        </>
      )}
    </Dialog>
  );
}

function Outcome({ run }: { run: ScheduleRun }) {
  const kind = run.result === 'ok' ? 'good' : run.result === 'error' ? 'bad' : 'warn';
  const lines = [...run.logs.map(({ message }) => message), ...(run.exception ? [run.exception.stack] : [])];
  return (
    <>
      <p>
        <Badge kind={kind}>{run.result}</Badge>{' '}
        {run.result === 'running' ? 'It goes on. The log will say how it ends.' : `${run.durationMs} ms`}
      </p>
      {run.error && <p>{run.error}</p>}
      {lines.length === 0 ? (
        <p class="hint">It printed nothing.</p>
      ) : (
        <pre class="fn-run">{lines.join('\n')}</pre>
      )}
      {run.logsTruncated && <p class="hint">It printed more. See the log.</p>}
    </>
  );
}
