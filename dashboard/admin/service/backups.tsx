import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Copyable,
  Empty,
  formatAgo,
  formatBytes,
  formatMoment,
  type Loaded,
  Progress,
  Section,
  Show,
  saveFile,
  say,
  Table,
  useLoad,
  useRefresh,
} from '../../ui/index.ts';
import {
  type Backup,
  type BackupList,
  deleteBackup,
  downloadBackup,
  listBackups,
  makeBackup,
} from '../api.ts';
import { Ask } from '../ask.tsx';
import { newestBackup } from './backup-problems.ts';
import { BackupState } from './backup-state.tsx';
import { sayProblem } from './say-problem.ts';

const LOOK_EVERY_MS = 1_000;

/** Backups that the server keeps: make, download, delete, and how to restore one. */
export function BackupsScreen() {
  const loaded = useLoad(listBackups, []);
  const isRunning = loaded.value?.backups.some(({ state }) => state === 'running') ?? false;
  useRefresh(loaded.refresh, isRunning ? LOOK_EVERY_MS : undefined);
  const make = async () => {
    await makeBackup();
    await loaded.reload();
  };
  return (
    <>
      <Section
        title={t('Backups')}
        hint={t('Everything: accounts, pages, data, files, functions and their databases.')}
        actions={
          <Button disabled={isRunning || !loaded.value} onClick={make}>
            {t('Back up now')}
          </Button>
        }
      >
        <Show loaded={loaded}>
          {(list) => (
            <>
              <BackupState list={list} />
              <Kept list={list} reload={loaded.reload} />
            </>
          )}
        </Show>
      </Section>
      {loaded.value && <HowToRestore list={loaded.value} />}
    </>
  );
}

interface Download {
  name: string;
  bytes: number;
  total: number;
}

function Kept({ list, reload }: { list: BackupList; reload: Loaded<BackupList>['reload'] }) {
  const [deleting, setDeleting] = useState<Backup>();
  const [download, setDownload] = useState<Download>();
  const save = async ({ name, bytes: total }: Backup) => {
    setDownload({ name, bytes: 0, total });
    try {
      saveFile(name, await downloadBackup(name, (bytes) => setDownload({ name, bytes, total })));
    } finally {
      setDownload(undefined);
    }
  };
  const running = list.backups.find(({ state }) => state === 'running');
  const others = list.backups.filter(({ state }) => state !== 'running');
  return (
    <>
      <Progresses running={running} download={download} />
      {others.length === 0 && !running && list.placeProblem === null && (
        <Empty icon="database" title={t('No backups yet')}>
          {list.schedule
            ? t('The first one is made {moment}. Or back up now.', {
                moment: formatAgo(list.schedule.nextAt),
              })
            : rich('Back up now, or let the server do it every night: <a>how to schedule backups</a>.', {
                a: (text) => <a href="/docs/running#schedule-backups">{text}</a>,
              })}
        </Empty>
      )}
      {others.length > 0 && (
        <div class="stacks">
          <Table
            caption={t('Backups')}
            rows={others}
            getKey={({ name }) => name}
            columns={columns(save, setDeleting, download !== undefined)}
          />
        </div>
      )}
      <WhereKept list={list} />
      {deleting && <AskDelete backup={deleting} close={() => setDeleting(undefined)} reload={reload} />}
    </>
  );
}

/** Where backups are, and which are deleted. */
function WhereKept({ list }: { list: BackupList }) {
  const tags = { code: (text: string) => <code>{text}</code> };
  const kept = { count: list.maxBackups, place: list.place };
  return (
    <p class="hint admin-after">
      {list.isBucket
        ? rich(
            'The server keeps the {count|{count} newest backup|{count} newest backups} in the bucket <code>{place}</code> and deletes older ones.',
            tags,
            kept,
          )
        : rich(
            'The server keeps the {count|{count} newest backup|{count} newest backups} in <code>{place}</code> and deletes older ones.',
            tags,
            kept,
          )}{' '}
      {list.maxDays !== null &&
        t(
          'It also deletes those that are older than {count|one day|{count} days}, but never the last good one.',
          {
            count: list.maxDays,
          },
        )}{' '}
      {t(
        'Download a copy: a backup on the same machine is lost with the machine. Treat backups as confidential, because they contain all data of this server.',
      )}
    </p>
  );
}

function Progresses(props: { running: Backup | undefined; download: Download | undefined }) {
  const { running, download } = props;
  return (
    <>
      {running && (
        <div class="admin-progress">
          <Progress
            label={t('Backup in progress')}
            note={t('{size} so far', { size: formatBytes(running.bytes) })}
          />
        </div>
      )}
      {download && (
        <div class="admin-progress">
          <Progress
            label={t('Downloading {name}', { name: download.name })}
            done={download.bytes}
            total={download.total}
            note={t('{size} of {total}', {
              size: formatBytes(download.bytes),
              total: formatBytes(download.total),
            })}
          />
        </div>
      )}
    </>
  );
}

interface AskDeleteProps {
  backup: Backup;
  close: () => void;
  reload: () => Promise<void>;
}

function AskDelete({ backup, close, reload }: AskDeleteProps) {
  const isComplete = backup.state === 'complete';
  const tags = { code: (text: string) => <code class="admin-break">{text}</code> };
  return (
    <Ask
      title={isComplete ? t('Delete this backup') : t('Dismiss this backup')}
      submit={isComplete ? t('Delete it') : t('Dismiss it')}
      onClose={close}
      onConfirm={async () => {
        await deleteBackup(backup.name);
        close();
        say(isComplete ? t('The backup is deleted.') : t('The failed backup is dismissed.'));
        await reload();
      }}
    >
      <p>
        {isComplete
          ? rich('<code>{name}</code> cannot be restored after this.', tags, { name: backup.name })
          : rich('<code>{name}</code> failed. There is no file to delete.', tags, { name: backup.name })}
      </p>
    </Ask>
  );
}

function ProofBadge({ proof }: { proof: NonNullable<Backup['proof']> }) {
  return proof.problem === null ? (
    <Badge kind="good">{t('Proven')}</Badge>
  ) : (
    <Badge kind="bad">{t('Cannot be restored')}</Badge>
  );
}

function Created({ createdAt, state, problem, proof, isEncrypted }: Backup) {
  const why = problem ?? proof?.problem;
  return (
    <div class="admin-name">
      {formatMoment(createdAt)} {state === 'failed' && <Badge kind="bad">{t('Failed')}</Badge>}{' '}
      {isEncrypted && <Badge>{t('Encrypted')}</Badge>} {proof && <ProofBadge proof={proof} />}
      {why && <div class="faint">{sayProblem(why)}</div>}
    </div>
  );
}

const columns = (
  onSave: (backup: Backup) => Promise<void>,
  onDelete: (backup: Backup) => void,
  isBusy: boolean,
): Array<Column<Backup>> => [
  {
    title: t('Created'),
    cell: Created,
  },
  {
    title: t('By'),
    cell: ({ madeBy, isScheduled }) => (isScheduled ? t('The schedule') : (madeBy ?? t('A deleted account'))),
    isMinor: true,
  },
  {
    title: t('Size'),
    cell: ({ bytes, state }) => (state === 'complete' ? formatBytes(bytes) : ''),
    isNumber: true,
  },
  {
    title: t('Actions'),
    isActions: true,
    cell: (backup) => (
      <>
        {backup.state === 'complete' && (
          <Button
            kind="bare"
            disabled={isBusy}
            label={t('Download the backup of {moment}', { moment: formatMoment(backup.createdAt) })}
            onClick={() => onSave(backup)}
          >
            {t('Download')}
          </Button>
        )}
        <Button
          kind="bare"
          label={
            backup.state === 'complete'
              ? t('Delete the backup of {moment}', { moment: formatMoment(backup.createdAt) })
              : t('Dismiss the backup of {moment}', { moment: formatMoment(backup.createdAt) })
          }
          onClick={() => onDelete(backup)}
        >
          {backup.state === 'complete' ? t('Delete') : t('Dismiss')}
        </Button>
      </>
    ),
  },
];

/** Restoring replaces everything, so it is done in a shell, into an empty folder. */
function HowToRestore({ list }: { list: BackupList }) {
  const newest = newestBackup(list);
  const name = newest?.name ?? 'backup.tar.gz';
  const file = list.isBucket ? name : `${list.place}/${name}`;
  const key = (newest?.isEncrypted ?? list.isEncrypted) ? ' --identity key.txt' : '';
  return (
    <Section
      title={t('Prove and restore')}
      hint={t(
        'The first command proves the newest backup while the server runs: it restores everything into a folder, reads it, and removes it. To restore, stop the server and run the second one with an empty data folder.',
      )}
    >
      <div class="admin-commands">
        <Copyable text={`quire restore --drill${key}`} label={t('Drill command')} />
        <Copyable
          text={`QUIRE_DATA=/path/to/empty/folder quire restore ${file}${key}`}
          label={t('Restore command')}
        />
      </div>
      <p class="hint admin-after">
        <a href="/docs/running#restore">{t('How to restore, step by step')}</a>
      </p>
    </Section>
  );
}
