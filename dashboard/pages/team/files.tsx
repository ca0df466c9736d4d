import { useRef, useState } from 'preact/hooks';
import { me } from '../../session.ts';
import {
  Button,
  type Column,
  ConfirmByTyping,
  Empty,
  Failure,
  formatAgo,
  formatBytes,
  formatMoment,
  Progress,
  Section,
  Show,
  Skeleton,
  saveFile,
  say,
  Table,
  useLoad,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { deleteFile, downloadFile, listFiles, type Role, type TeamFile, uploadFile } from './api.ts';

const MAX_BYTES = 10 * 1024 * 1024;

interface Sending {
  name: string;
  sent: number;
  total: number;
}

/** The files that the team shares. */
export function FilesSection({ page, mine }: { page: PageDetail; mine: Role }) {
  const files = useLoad((signal) => listFiles(page.id, signal), [page.id]);
  const [sending, setSending] = useState<Sending>();
  const [failure, setFailure] = useState<Error>();
  const [deleting, setDeleting] = useState<TeamFile>();
  const input = useRef<HTMLInputElement>(null);

  const upload = async (chosen: File[]) => {
    setFailure(undefined);
    try {
      for (const file of chosen) {
        const { name, size } = file;
        if (size > MAX_BYTES) throw new Error(`${name} is larger than the 10 MB that a file may have.`);
        setSending({ name, sent: 0, total: size });
        await uploadFile(page.id, file, (sent, total) => setSending({ name, sent, total }));
        say(`${name} uploaded.`);
      }
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setSending(undefined);
      if (input.current) input.current.value = '';
      await files.reload();
    }
  };
  const mayUpload = mine !== 'viewer';
  const choose = (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => upload([...(event.currentTarget.files ?? [])])}
      />
      <Button kind="quiet" disabled={sending !== undefined} onClick={() => input.current?.click()}>
        Upload files
      </Button>
    </>
  );
  return (
    <Section
      title="Files"
      hint="Up to 10 MB each, for everybody in the team."
      {...(mayUpload && { actions: choose })}
    >
      {sending && (
        <div class="team-sending">
          <Progress
            label={`Uploading ${sending.name}`}
            done={sending.sent}
            total={sending.total}
            note={`${formatBytes(sending.sent)} of ${formatBytes(sending.total)}`}
          />
        </div>
      )}
      {failure && <Failure error={failure} />}
      <Show loaded={files} skeleton={<Skeleton lines={4} />}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No files yet">What the team uploads, here or on the page, is listed here.</Empty>
          ) : (
            <Table
              caption="Files of the team"
              columns={columnsOf(page, mine, setDeleting)}
              rows={list}
              keyOf={({ id }) => id}
            />
          )
        }
      </Show>
      {deleting && (
        <ConfirmByTyping
          title="Delete this file?"
          phrase="delete"
          submit="Delete for good"
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await deleteFile(page.id, deleting.id);
            setDeleting(undefined);
            say(`${deleting.name} deleted.`);
            await files.reload();
          }}
        >
          <p class="team-name">{deleting.name} is gone for the whole team, for good.</p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

function columnsOf(
  page: PageDetail,
  mine: Role,
  onDelete: (file: TeamFile) => void,
): Array<Column<TeamFile>> {
  const mayDelete = ({ uploadedBy }: TeamFile) =>
    mine === 'owner' || mine === 'admin' || uploadedBy.id === me.value?.id;
  const download = async ({ id, name }: TeamFile) => saveFile(name, await downloadFile(page.id, id));
  return [
    { title: 'Name', cell: ({ name }) => <span class="team-name">{name}</span> },
    {
      title: 'Size',
      isNumber: true,
      cell: ({ size }) => <span class="team-nowrap">{formatBytes(size)}</span>,
    },
    {
      title: 'Uploaded',
      isMinor: true,
      cell: ({ createdAt, uploadedBy }) => (
        <span class="team-nowrap" title={formatMoment(createdAt)}>
          {formatAgo(createdAt)} by {uploadedBy.username}
        </span>
      ),
    },
    {
      title: 'Actions',
      isNumber: true,
      cell: (file) => (
        <span class="team-acts">
          <Button kind="quiet" label={`Download ${file.name}`} onClick={() => download(file)}>
            Download
          </Button>
          {mayDelete(file) && (
            <Button kind="bare" label={`Delete ${file.name}`} onClick={() => onDelete(file)}>
              Delete
            </Button>
          )}
        </span>
      ),
    },
  ];
}
