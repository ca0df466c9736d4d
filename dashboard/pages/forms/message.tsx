import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  Dialog,
  Form,
  formatAgo,
  formatBytes,
  formatMoment,
  saveFile,
  say,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { deleteMessage, downloadFile, type FormMessage, markMessage } from './api.ts';

interface Props {
  page: PageDetail;
  message: FormMessage;
  onMarked: (changed: FormMessage) => Promise<void>;
  onDeleted: () => Promise<void>;
}

/** One message. Opening it marks it as read. */
export function Message({ page, message, onMarked, onDeleted }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { isRead, createdAt } = message;
  const mark = async (read: boolean) => onMarked(await markMessage(page.id, message, read));
  const { sender, preview } = summarizeMessage(message);
  return (
    <details
      class={isRead ? 'form-message' : 'form-message unread'}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
        if (currentTarget.open && !isRead) mark(true).catch((error: Error) => say(error.message, 'bad'));
      }}
    >
      <summary>
        <span class="from" dir="auto">
          {sender}
        </span>
        {!isRead && <Badge kind="warn">{t('New')}</Badge>}
        <time dateTime={createdAt} title={formatMoment(createdAt)}>
          {formatAgo(createdAt)}
        </time>
        <span class="preview" dir="auto">
          {preview}
        </span>
      </summary>
      {isOpen && <MessageBody page={page} message={message} />}
      <div class="actions">
        <Reply message={message} />
        <Button kind="quiet" onClick={() => mark(!isRead)}>
          {isRead ? t('Mark as unread') : t('Mark as read')}
        </Button>
        <Button kind="bare" onClick={() => setDeleting(true)}>
          {t('Delete')}
        </Button>
      </div>
      {isDeleting && (
        <Dialog title={t('Delete this message?')} onClose={() => setDeleting(false)}>
          <p class="form-text">
            {t('This deletes the message from {sender}, with its files. You cannot restore it.', { sender })}
          </p>
          <Form
            submit={t('Delete message')}
            onCancel={() => setDeleting(false)}
            onSubmit={async () => {
              await deleteMessage(page.id, message);
              say(t('Deleted the message.'));
              await onDeleted();
            }}
          >
            {null}
          </Form>
        </Dialog>
      )}
    </details>
  );
}

function MessageBody({ page, message }: Pick<Props, 'page' | 'message'>) {
  return (
    <dl>
      {Object.entries(message.fields).map(([name, value]) => (
        <div key={name}>
          <dt dir="auto">{name}</dt>
          <dd class="form-text" dir="auto">
            {Array.isArray(value) ? value.join(', ') : value || '–'}
          </dd>
        </div>
      ))}
      {message.files.map((file) => (
        <div key={file.id}>
          <dt dir="auto">{file.field}</dt>
          <dd>
            <Button
              kind="quiet"
              onClick={async () => saveFile(file.name, await downloadFile(page.id, message, file.id))}
            >
              <span class="for-readers">{t('Download')} </span>
              {file.name} <span class="faint">{formatBytes(file.size)}</span>
            </Button>
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('Received')}</dt>
        <dd>{formatMoment(message.createdAt)}</dd>
      </div>
    </dl>
  );
}

const EMAIL = /^[^\s@<>,;:"?&]+@[^\s@<>,;:"?&]+\.[^\s@<>,;:"?&]+$/;

function Reply({ message: { fields } }: { message: FormMessage }) {
  const address = Object.values(fields).find((value) => typeof value === 'string' && EMAIL.test(value));
  if (typeof address !== 'string') return null;
  return (
    <a class="button quiet" href={`mailto:${encodeURIComponent(address)}`}>
      {t('Reply')}
    </a>
  );
}

const MOST_LETTERS = 200;

/** The first field says who wrote, in most forms; the others say what. */
function summarizeMessage({ fields, files }: FormMessage): { sender: string; preview: string } {
  const values = Object.values(fields)
    .map((value) => (Array.isArray(value) ? value.join(', ') : value).trim())
    .filter(Boolean);
  const [sender = files[0]?.name ?? t('Message'), ...rest] = values;
  return { sender: sender.slice(0, MOST_LETTERS), preview: rest.join(' · ').slice(0, MOST_LETTERS) };
}
