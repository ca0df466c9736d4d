import { useEffect, useState } from 'preact/hooks';
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
  plural,
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
        title="Backups"
        hint="Everything: accounts, pages, data, files, functions and their databases."
        actions={
          <Button disabled={isRunning || !loaded.value} onClick={make}>
            Back up now
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
  return (
    <>
      <Progresses running={running} download={download} />
      {others.length === 0 && !running && (
        <Empty icon="database" title="No backups yet">
          Make one now, or set up nightly backups as the documentation describes.
        </Empty>
      )}
      {others.length > 0 && (
        <div class="stacks">
          <Table
            caption="Backups"
            rows={others}
            keyOf={({ name }) => name}
            columns={columns(save, setDeleting, download !== undefined)}
          />
        </div>
      )}
      <p class="hint admin-after">
        The server keeps the {plural(list.maxBackups, 'newest backup')}{' '}
        {list.isBucket ? 'in the bucket' : 'in'} <code>{list.place}</code> and deletes older ones. Download
        them: a copy on the same machine does not help when the machine is lost. A backup is as confidential
        as the server.
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
          <Progress label="Making a backup" note={`${formatBytes(running.bytes)} so far`} />
        </div>
      )}
      {download && (
        <div class="admin-progress">
          <Progress
            label={`Downloading ${download.name}`}
            done={download.bytes}
            total={download.total}
            note={`${formatBytes(download.bytes)} of ${formatBytes(download.total)}`}
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
  return (
    <Ask
      title={isComplete ? 'Delete this backup' : 'Dismiss this backup'}
      submit={isComplete ? 'Delete it' : 'Dismiss it'}
      onClose={close}
      onConfirm={async () => {
        await deleteBackup(backup.name);
        close();
        say(isComplete ? 'The backup is deleted.' : 'The failed backup is dismissed.');
        await reload();
      }}
    >
      <p>
        <code class="admin-break">{backup.name}</code>{' '}
        {isComplete ? 'cannot be restored after this.' : 'failed. There is no file to delete.'}
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
    title: 'Made',
    cell: ({ createdAt, state, problem }) => (
      <div class="admin-name">
        {formatMoment(createdAt)} {state === 'failed' && <Badge kind="bad">Failed</Badge>}
        {problem && <div class="faint">{problem}</div>}
      </div>
    ),
  },
  { title: 'By', cell: ({ madeBy }) => madeBy ?? 'A deleted account', isMinor: true },
  {
    title: 'Size',
    cell: ({ bytes, state }) => (state === 'complete' ? formatBytes(bytes) : ''),
    isNumber: true,
    isMinor: true,
  },
  {
    title: 'Actions',
    cell: (backup) => (
      <div class="actions">
        {backup.state === 'complete' && (
          <Button
            kind="quiet"
            disabled={isBusy}
            label={`Download the backup of ${formatMoment(backup.createdAt)}`}
            onClick={() => onSave(backup)}
          >
            Download
          </Button>
        )}
        <Button
          kind="quiet"
          label={`${backup.state === 'complete' ? 'Delete' : 'Dismiss'} the backup of ${formatMoment(backup.createdAt)}`}
          onClick={() => onDelete(backup)}
        >
          {backup.state === 'complete' ? 'Delete' : 'Dismiss'}
        </Button>
      </div>
    ),
  },
];

/** Restoring replaces everything, so it is done in a shell, into an empty folder. */
function HowToRestore({ list }: { list: BackupList }) {
  const newest = list.backups.find(({ state }) => state === 'complete')?.name ?? 'backup.tar.gz';
  const file = list.isBucket ? newest : `${list.place}/${newest}`;
  return (
    <Section
      title="Restore"
      hint="Stop the server and run this in a shell, with an empty data folder. The first command only checks the file."
    >
      <div class="admin-commands">
        <Copyable text={`quire restore --check ${file}`} label="Check command" />
        <Copyable text={`QUIRE_DATA=/path/to/empty/folder quire restore ${file}`} label="Restore command" />
      </div>
      <p class="hint admin-after">
        <a href="/docs/running#restore">How to restore, step by step</a>
      </p>
    </Section>
  );
}
