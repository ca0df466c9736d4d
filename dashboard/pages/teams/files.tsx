import { useRef, useState } from 'preact/hooks';
import { MAX_FILE_BYTES } from '../../../contract/rules/limits.ts';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
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
      title={t('Files')}
      hint={t('Shared with everyone in the team. Up to {limit} each.', {
        limit: formatBytes(MAX_FILE_BYTES),
      })}
      {...(canUpload && { actions: <UploadButton onChoose={upload} disabled={sending !== undefined} /> })}
    >
      {sending && <Upload {...sending} />}
      {failure && <Failure error={failure} />}
      <Show loaded={files} skeleton={<Skeleton lines={4} />}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={t('No files yet')}>
              {t('Files that the team uploads, here or on the page, appear here.')}
            </Empty>
          ) : (
            <Table
              caption={t('Files of the team')}
              columns={listColumns(page, mine, setDeleting)}
              rows={list}
              getKey={({ id }) => id}
            />
          )
        }
      </Show>
      {deleting && (
        <ConfirmByTyping
          title={t('Delete this file?')}
          phrase={t('delete')}
          submit={t('Delete permanently')}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await deleteFile(page.id, deleting.id);
            setDeleting(undefined);
            say(t('Deleted {name}.', { name: deleting.name }));
            await files.reload();
          }}
        >
          <p class="team-name">
            {t('This deletes {name} for the whole team. You cannot restore it.', { name: deleting.name })}
          </p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

function Upload({ name, sent, total }: Sending) {
  return (
    <div class="team-sending">
      <Progress
        label={t('Uploading {name}', { name })}
        done={sent}
        total={total}
        note={t('{size} of {limit}', { size: formatBytes(sent), limit: formatBytes(total) })}
      />
    </div>
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
          throw new Error(
            t('{name} is larger than the limit of {limit}.', { name, limit: formatBytes(MAX_FILE_BYTES) }),
          );
        setSending({ name, sent: 0, total: size });
        await uploadFile(pageId, file, (sent, total) => setSending({ name, sent, total }));
        say(t('Uploaded {name}.', { name }));
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
        aria-label={t('Files to upload')}
        onChange={async ({ currentTarget }) => {
          await onChoose([...(currentTarget.files ?? [])]);
          // Otherwise choosing the same file again would not fire the event.
          currentTarget.value = '';
        }}
      />
      <Button kind="quiet" disabled={disabled} onClick={() => input.current?.click()}>
        {t('Upload files')}
      </Button>
    </>
  );
}

function listColumns(
  page: TeamPage,
  mine: Role,
  onDelete: (file: TeamFile) => void,
): Array<Column<TeamFile>> {
  const mayDelete = ({ uploadedBy }: TeamFile) =>
    mine === 'owner' || mine === 'admin' || uploadedBy.id === me.value?.id;
  const download = async ({ id, name }: TeamFile) => saveFile(name, await downloadFile(page.id, id));
  return [
    { title: t('Name'), cell: ({ name }) => <span class="team-name">{name}</span> },
    {
      title: t('Size'),
      isNumber: true,
      cell: ({ size }) => <span class="team-nowrap">{formatBytes(size)}</span>,
    },
    {
      title: t('Uploaded'),
      isMinor: true,
      cell: ({ createdAt, uploadedBy }) => (
        <span class="team-nowrap" title={formatMoment(createdAt)}>
          {t('{when} by {name}', { when: formatAgo(createdAt), name: uploadedBy.username })}
        </span>
      ),
    },
    {
      title: t('Actions'),
      isActions: true,
      cell: (file) => (
        <>
          <Button
            kind="bare"
            label={t('Download {name}', { name: file.name })}
            onClick={() => download(file)}
          >
            {t('Download')}
          </Button>
          {mayDelete(file) && (
            <Button
              kind="bare"
              label={t('Delete {name}', { name: file.name })}
              onClick={() => onDelete(file)}
            >
              {t('Delete')}
            </Button>
          )}
        </>
      ),
    },
  ];
}
