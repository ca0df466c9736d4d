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
import { type FunctionDetail, patchFunction, type Schedule } from '../api.ts';
import { fieldFault } from '../fault.ts';
import { RunDialog, resultText, sayReason } from './run.tsx';
import { sayCron } from './words.ts';

interface Props {
  item: FunctionDetail;
  onChange: (item: FunctionDetail) => void;
}

/** What a dialog is open for: a new schedule, or the one at this place. */
type Editing = { place: number | undefined };

/** When a function runs by itself, and how its last runs ended. */
export function SchedulesPart({ item, onChange }: Props) {
  const [editing, setEditing] = useState<Editing>();
  const [running, setRunning] = useState<Schedule>();
  const schedules = item.schedules ?? [];
  const save = async (next: Array<Pick<Schedule, 'cron' | 'timezone'>>) => {
    const wanted = next.map(({ cron, timezone }) => ({ cron, timezone }));
    onChange({ ...item, ...(await patchFunction(item.slug, { schedules: wanted })) });
  };
  const remove = async (schedule: Schedule) => {
    await save(schedules.filter((each) => each !== schedule));
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
        <Button onClick={() => setEditing({ place: undefined })} disabled={schedules.length >= MAX_SCHEDULES}>
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
            getKey={({ cron, timezone }) => `${cron} ${timezone}`}
            columns={columns({
              run: setRunning,
              edit: (schedule) => setEditing({ place: schedules.indexOf(schedule) }),
              remove,
            })}
          />
        </div>
      )}
      {editing && (
        <ScheduleDialog
          schedules={schedules}
          place={editing.place}
          save={save}
          onClose={() => setEditing(undefined)}
        />
      )}
      {running && (
        <RunDialog item={item} schedule={running} onChange={onChange} onClose={() => setRunning(undefined)} />
      )}
    </Section>
  );
}

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
  schedules: Schedule[];
  place: number | undefined;
  save: (schedules: Array<Pick<Schedule, 'cron' | 'timezone'>>) => Promise<void>;
  onClose: () => void;
}

function ScheduleDialog({ schedules, place, save, onClose }: DialogProps) {
  const at = place ?? schedules.length;
  const edited = schedules[at];
  const [cron, setCron] = useState(edited?.cron ?? '0 3 * * *');
  const [timezone, setTimezone] = useState(edited?.timezone ?? ownTimezone());
  const [failure, setFailure] = useState<unknown>();
  const submit = async () => {
    setFailure(undefined);
    try {
      await save(schedules.toSpliced(at, 1, { ...(edited as Schedule), cron, timezone }));
    } catch (error) {
      setFailure(error);
      // The field shows its own fault.
      if (FIELDS.some((field) => fieldFault(error, `schedules.${at}.${field}`))) return;
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
          error={fieldFault(failure, `schedules.${at}.cron`)}
          value={cron}
          onInput={setCron}
          mono
          autofocus
        />
        <TextField
          label={t('Time zone')}
          hint={t('For example Europe/Berlin or UTC.')}
          error={fieldFault(failure, `schedules.${at}.timezone`)}
          value={timezone}
          onInput={setTimezone}
        />
      </Form>
    </Dialog>
  );
}

/** The time zone of the person who looks. */
const ownTimezone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
