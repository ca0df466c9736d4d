import type { ComponentChildren } from 'preact';
import { rich, t } from '../../texts/index.ts';
import { formatAgo, formatBytes, formatMoment, Icon, type IconName } from '../../ui/index.ts';
import type { BackupList } from '../api.ts';
import { findBackupProblems, newestBackup } from './backup-problems.ts';
import { sayProblem } from './say-problem.ts';

/** The newest backup, the next one and the last proof at a glance, and what is wrong. */
export function BackupState({ list }: { list: BackupList }) {
  return (
    <>
      <Warnings list={list} />
      <dl class="backup-facts">
        <Newest list={list} />
        <Next schedule={list.schedule} />
        <Proof list={list} />
      </dl>
    </>
  );
}

function Warnings({ list }: { list: BackupList }) {
  const problems = findBackupProblems(list);
  if (problems.length === 0) return null;
  const why = list.placeProblem ?? list.schedule?.problem ?? list.lastProof?.problem;
  return (
    <ul class="backup-problems">
      {problems.map(({ kind, text }, index) => (
        <li key={text} class={kind}>
          <Icon name={kind === 'bad' ? 'warning' : 'info'} />
          <span>
            {text}
            {index === 0 && why && <span class="faint"> {sayProblem(why)}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Fact(props: {
  icon: IconName;
  label: string;
  value: string;
  title?: string;
  note: ComponentChildren;
}) {
  const { icon, label, value, title, note } = props;
  return (
    <div>
      <dt>
        <Icon name={icon} size={18} />
        {label}
      </dt>
      <dd>
        <strong title={title}>{value}</strong>
        <span class="hint">{note}</span>
      </dd>
    </div>
  );
}

function Newest({ list }: { list: BackupList }) {
  const newest = newestBackup(list);
  const kind = (isEncrypted: boolean) => (isEncrypted ? t('encrypted') : t('not encrypted'));
  return (
    <Fact
      icon="history"
      label={t('Last backup')}
      value={newest ? formatAgo(newest.createdAt) : t('Never')}
      {...(newest && { title: formatMoment(newest.createdAt) })}
      note={
        newest
          ? `${formatBytes(newest.bytes)} · ${kind(newest.isEncrypted)}`
          : list.isEncrypted
            ? t('Backups will be encrypted')
            : t('Backups will not be encrypted')
      }
    />
  );
}

function Next({ schedule }: Pick<BackupList, 'schedule'>) {
  const code = (text: string) => <code>{text}</code>;
  return (
    <Fact
      icon="clock"
      label={t('Next backup')}
      value={schedule ? formatAgo(schedule.nextAt) : t('Not planned')}
      {...(schedule && { title: formatMoment(schedule.nextAt) })}
      note={
        schedule
          ? schedule.failures > 0
            ? t('{count|One has failed|{count} have failed in a row}', { count: schedule.failures })
            : rich('<code>{cron}</code> in UTC', { code }, { cron: schedule.cron })
          : rich('Set <code>QUIRE_BACKUP_SCHEDULE</code>', { code })
      }
    />
  );
}

function Proof({ list: { lastProof, isEncrypted, schedule } }: { list: BackupList }) {
  const never = schedule && !isEncrypted ? t('After the next backup') : t('With the command below');
  return (
    <Fact
      icon="shield"
      label={t('Proven')}
      value={
        lastProof ? (lastProof.problem === null ? formatAgo(lastProof.provenAt) : t('Failed')) : t('Never')
      }
      {...(lastProof && { title: formatMoment(lastProof.provenAt) })}
      note={
        lastProof
          ? lastProof.problem === null
            ? t('Restored and read in {count|one second|{count} seconds}', {
                count: Math.max(1, lastProof.seconds),
              })
            : t('It could not be restored')
          : never
      }
    />
  );
}
