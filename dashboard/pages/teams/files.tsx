import { useRef, useState } from 'preact/hooks';
import { MAX_FILE_BYTES } from '../../../contract/rules/limits.ts';
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
import {
  deleteFile,
  downloadFile,
  listFiles,
  type Role,
  type TeamFile,
  type TeamPage,
  uploadFile,
} from './api.ts';

interface Sending {
  name: string;
  sent: number;
  total: number;
}

/** The files that the team shares. */
export function FilesSection({ page, mine }: { page: TeamPage; mine: Role }) {
  const files = useLoad((signal) => listFiles(page.id, signal), [page.id]);
  const { sending, failure, upload } = useUpload(page.id, files.reload);
  const [deleting, setDeleting] = useState<TeamFile>();
  const canUpload = mine !== 'viewer';
  return (
    <Section
      title="Files"
      hint={`Shared with everyone in the team. Up to ${formatBytes(MAX_FILE_BYTES)} each.`}
      {...(canUpload && { actions: <UploadButton onChoose={upload} disabled={sending !== undefined} /> })}
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
            <Empty title="No files yet">Files that the team uploads, here or on the page, appear here.</Empty>
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
          submit="Delete permanently"
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await deleteFile(page.id, deleting.id);
            setDeleting(undefined);
            say(`Deleted ${deleting.name}.`);
            await files.reload();
          }}
        >
          <p class="team-name">This deletes {deleting.name} for the whole team. You cannot restore it.</p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

/** Uploads files one after the other. */
function useUpload(pageId: number, onDone: () => Promise<void>) {
  const [sending, setSending] = useState<Sending>();
  const [failure, setFailure] = useState<Error>();
  const upload = async (chosen: File[]) => {
    setFailure(undefined);
    try {
      for (const file of chosen) {
        const { name, size } = file;
        if (size > MAX_FILE_BYTES)
          throw new Error(`${name} is larger than the limit of ${formatBytes(MAX_FILE_BYTES)}.`);
        setSending({ name, sent: 0, total: size });
        await uploadFile(pageId, file, (sent, total) => setSending({ name, sent, total }));
        say(`Uploaded ${name}.`);
      }
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setSending(undefined);
      await onDone();
    }
  };
  return { sending, failure, upload };
}

interface UploadButtonProps {
  onChoose: (files: File[]) => Promise<void>;
  disabled: boolean;
}

function UploadButton({ onChoose, disabled }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={async ({ currentTarget }) => {
          await onChoose([...(currentTarget.files ?? [])]);
          // Otherwise choosing the same file again would not fire the event.
          currentTarget.value = '';
        }}
      />
      <Button kind="quiet" disabled={disabled} onClick={() => input.current?.click()}>
        Upload files
      </Button>
    </>
  );
}

function columnsOf(page: TeamPage, mine: Role, onDelete: (file: TeamFile) => void): Array<Column<TeamFile>> {
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
