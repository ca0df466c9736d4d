import { useState } from 'preact/hooks';
import { MAX_SCHEDULES } from '../../../contract/rules/limits.ts';
import { rich, t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Dialog,
  Empty,
  Form,
  formatMoment,
  Section,
  Select,
  say,
  Table,
  TextField,
} from '../../ui/index.ts';
import { type FunctionDetail, patchFunction, readFunction, type Schedule } from '../api.ts';
import { itemFault } from '../fault.ts';
import { RunDialog, resultText, sayReason } from './run.tsx';
import { sayCron } from './words.ts';

interface Props {
  item: FunctionDetail;
  onChange: (item: FunctionDetail) => void;
}

type Wanted = Pick<Schedule, 'cron' | 'timezone'>;

/** What a dialog is open for: a new schedule, or this one. */
type Editing = { schedule: Schedule | undefined };

/** When a function runs by itself, and how its last runs ended. */
export function SchedulesPart({ item, onChange }: Props) {
  const [editing, setEditing] = useState<Editing>();
  const [running, setRunning] = useState<Schedule>();
  const schedules = item.schedules ?? [];
  const replace = async (old: Schedule | undefined, next: Wanted[]) =>
    onChange({ ...item, ...(await replaceSchedule(item.slug, old, next)) });
  const remove = async (schedule: Schedule) => {
    await replace(schedule, []);
    say(t('Removed {name}.', { name: schedule.cron }));
  };
  return (
    <Section
      title={t('Schedules')}
      hint={rich(
        'Runs your module’s <code>scheduled(controller, env, ctx)</code>. Times are in your time zone, {zone}.',
        { code: (text) => <code>{text}</code> },
        { zone: ownTimezone() },
      )}
      actions={
        <Button
          onClick={() => setEditing({ schedule: undefined })}
          disabled={schedules.length >= MAX_SCHEDULES}
        >
          {t('Add a schedule')}
        </Button>
      }
    >
      {schedules.length === 0 ? (
        <Empty icon="clock" title={t('No schedules yet')}>
          {t(
            'Export a scheduled function from your module and deploy it. Then add a schedule, for example every day at 03:00.',
          )}
        </Empty>
      ) : (
        <div class="fn-schedules stacks">
          <Table
            caption={t('Schedules')}
            rows={schedules}
            getKey={toKey}
            columns={columns({
              run: setRunning,
              edit: (schedule) => setEditing({ schedule }),
              remove,
            })}
          />
        </div>
      )}
      {editing && (
        <ScheduleDialog
          edited={editing.schedule}
          save={(schedule) => replace(editing.schedule, [schedule])}
          onClose={() => setEditing(undefined)}
        />
      )}
      {running && (
        <RunDialog item={item} schedule={running} onChange={onChange} onClose={() => setRunning(undefined)} />
      )}
    </Section>
  );
}

/** The API takes the whole list. Others may have changed it since the screen was loaded. */
async function replaceSchedule(slug: string, old: Schedule | undefined, next: Wanted[]) {
  const { schedules: current = [] } = await readFunction(slug);
  const at = current.findIndex((each) => old && toKey(each) === toKey(old));
  const wanted: Wanted[] = current.map(({ cron, timezone }) => ({ cron, timezone }));
  wanted.splice(at < 0 ? wanted.length : at, 1, ...next);
  return patchFunction(slug, { schedules: wanted });
}

const toKey = ({ cron, timezone }: Wanted) => `${cron} ${timezone}`;

interface Actions {
  run(schedule: Schedule): void;
  edit(schedule: Schedule): void;
  remove(schedule: Schedule): Promise<void>;
}

const columns = ({ run, edit, remove }: Actions): Array<Column<Schedule>> => [
  {
    title: t('Schedule'),
    cell: ({ cron, timezone }) => (
      <>
        {sayCron(cron)}
        <p class="hint">
          <code>{cron}</code> {timezone}
        </p>
      </>
    ),
  },
  {
    title: t('Next run'),
    cell: ({ nextRunAt, failures }) => (
      <>
        {formatMoment(nextRunAt)}
        {failures >= 3 && <p class="hint">{t('Delayed after {count} failures', { count: failures })}</p>}
      </>
    ),
  },
  { title: t('Last run'), cell: LastRun },
  {
    title: t('Actions'),
    isActions: true,
    cell: (schedule) => (
      <>
        <Button
          kind="bare"
          label={t('Run now: {name}', { name: schedule.cron })}
          onClick={() => run(schedule)}
        >
          {t('Run now')}
        </Button>
        <Button kind="bare" label={t('Edit {name}', { name: schedule.cron })} onClick={() => edit(schedule)}>
          {t('Edit')}
        </Button>
        <Button
          kind="bare"
          label={t('Remove {name}', { name: schedule.cron })}
          onClick={() => remove(schedule)}
        >
          {t('Remove')}
        </Button>
      </>
    ),
  },
];

const RESULTS = { ok: 'good', error: 'bad', interrupted: 'warn', running: undefined } as const;

function LastRun({ lastRun }: Schedule) {
  if (!lastRun) return <>{t('Not yet')}</>;
  const kind = RESULTS[lastRun.result];
  return (
    <>
      <Badge {...(kind && { kind })}>{resultText(lastRun.result)}</Badge> {formatMoment(lastRun.startedAt)}
      {lastRun.error && <p class="hint">{sayReason(lastRun.error)}</p>}
    </>
  );
}

/** What most schedules are, from often to seldom. */
const OFTEN = ['*/15 * * * *', '0 * * * *', '0 3 * * *', '0 9 * * 1-5', '0 9 * * 1', '0 9 1 * *'];

const FIELDS = ['cron', 'timezone'] as const;

interface DialogProps {
  edited: Schedule | undefined;
  save: (schedule: Wanted) => Promise<void>;
  onClose: () => void;
}

function ScheduleDialog({ edited, save, onClose }: DialogProps) {
  const [cron, setCron] = useState(edited?.cron ?? '0 3 * * *');
  const [timezone, setTimezone] = useState(edited?.timezone ?? ownTimezone());
  const [failure, setFailure] = useState<unknown>();
  const submit = async () => {
    setFailure(undefined);
    try {
      await save({ cron, timezone });
    } catch (error) {
      setFailure(error);
      // The field shows its own fault.
      if (FIELDS.some((field) => itemFault(error, 'schedules', field))) return;
      throw error;
    }
    say(edited ? t('Saved.') : t('Added {name}.', { name: cron }));
    onClose();
  };
  return (
    <Dialog title={edited ? t('Edit this schedule') : t('Add a schedule')} onClose={onClose}>
      <Form
        submit={edited ? t('Save') : t('Add')}
        onSubmit={submit}
        onCancel={onClose}
        disabled={cron.trim() === ''}
      >
        <Select
          label={t('How often')}
          value={OFTEN.includes(cron) ? cron : ''}
          options={[
            ...OFTEN.map((each) => [each, sayCron(each) ?? each] as const),
            ['', t('Something else')] as const,
          ]}
          onChange={(chosen) => chosen && setCron(chosen)}
        />
        <TextField
          label={t('Cron text')}
          hint={sayCron(cron) ?? t('Minute, hour, day of the month, month, day of the week.')}
          error={itemFault(failure, 'schedules', 'cron')}
          value={cron}
          onInput={setCron}
          mono
          autofocus
        />
        <TextField
          label={t('Time zone')}
          hint={t('For example Europe/Berlin or UTC.')}
          error={itemFault(failure, 'schedules', 'timezone')}
          value={timezone}
          onInput={setTimezone}
        />
      </Form>
    </Dialog>
  );
}

/** The time zone of the person who looks. */
const ownTimezone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
