import { useEffect, useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Copyable,
  Empty,
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

const LOOK_EVERY_MS = 1_000;

/** Backups that the server keeps: make, download, delete, and how to restore one. */
export function BackupsScreen() {
  const loaded = useLoad(listBackups, []);
  const isRunning = loaded.value?.backups.some(({ state }) => state === 'running') ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void loaded.reload(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning, loaded.reload]);
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
        <Show loaded={loaded}>{(list) => <Kept list={list} reload={loaded.reload} />}</Show>
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
  const tags = { code: (text: string) => <code>{text}</code> };
  const kept = { count: list.maxBackups, place: list.place };
  return (
    <>
      <Progresses running={running} download={download} />
      {others.length === 0 && !running && (
        <Empty icon="database" title={t('No backups yet')}>
          {t('Back up now, or set up nightly backups as described in the documentation.')}
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
        {t(
          'Download a copy: a backup on the same machine is lost with the machine. Treat backups as confidential, because they contain all data of this server.',
        )}
      </p>
      {deleting && <AskDelete backup={deleting} close={() => setDeleting(undefined)} reload={reload} />}
    </>
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

const columns = (
  onSave: (backup: Backup) => Promise<void>,
  onDelete: (backup: Backup) => void,
  isBusy: boolean,
): Array<Column<Backup>> => [
  {
    title: t('Created'),
    cell: ({ createdAt, state, problem }) => (
      <div class="admin-name">
        {formatMoment(createdAt)} {state === 'failed' && <Badge kind="bad">{t('Failed')}</Badge>}
        {problem && <div class="faint">{problem}</div>}
      </div>
    ),
  },
  { title: t('By'), cell: ({ madeBy }) => madeBy ?? t('A deleted account'), isMinor: true },
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
  const newest = list.backups.find(({ state }) => state === 'complete')?.name ?? 'backup.tar.gz';
  const file = list.isBucket ? newest : `${list.place}/${newest}`;
  return (
    <Section
      title={t('Restore')}
      hint={t(
        'Stop the server, then run these commands in a shell with an empty data folder. The first one only checks the file.',
      )}
    >
      <div class="admin-commands">
        <Copyable text={`quire restore --check ${file}`} label={t('Check command')} />
        <Copyable
          text={`QUIRE_DATA=/path/to/empty/folder quire restore ${file}`}
          label={t('Restore command')}
        />
      </div>
      <p class="hint admin-after">
        <a href="/docs/running#restore">{t('How to restore, step by step')}</a>
      </p>
    </Section>
  );
}
