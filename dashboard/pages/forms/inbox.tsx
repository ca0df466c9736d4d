import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import {
  Button,
  ConfirmByTyping,
  formatBytes,
  Section,
  Show,
  Skeleton,
  saveFile,
  say,
  useLoad,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { deleteForm, exportForm, type FormMessage, type FormSummary, listMessages, markAll } from './api.ts';
import { Message } from './message.tsx';

const STEP = 50;

interface Props {
  page: PageDetail;
  form: FormSummary;
  /** Called when the number of messages, or of unread ones, has changed. */
  onChanged: () => Promise<void>;
}

/** The messages of one form, newest first. */
export function Inbox({ page, form, onChanged }: Props) {
  const [wanted, setWanted] = useState(STEP);
  const [isDeleting, setDeleting] = useState(false);
  const { name, messages, lastMessageAt } = form;
  const loaded = useLoad(
    (signal) => listMessages(page.id, name, wanted, signal),
    [page.id, name, wanted, messages, lastMessageAt],
  );
  const replace = async (changed: FormMessage) => {
    loaded.set(loaded.value?.map((each) => (each.id === changed.id ? changed : each)) ?? []);
    await onChanged();
  };
  const readAll = async () => {
    await markAll(page.id, name);
    await Promise.all([loaded.reload(), onChanged()]);
  };
  return (
    <Section
      title={name}
      hint={t('{count|{count} message|{count} messages}, {size}', {
        count: messages,
        size: formatBytes(form.bytes),
      })}
      actions={<Actions page={page} form={form} onReadAll={readAll} onDelete={() => setDeleting(true)} />}
    >
      <Show loaded={loaded} skeleton={<Skeleton lines={6} />}>
        {(list) => (
          <ul class="form-messages" aria-label={t('Messages of {name}', { name })}>
            {list.map((message) => (
              <li key={message.id}>
                <Message page={page} message={message} onMarked={replace} onDeleted={onChanged} />
              </li>
            ))}
          </ul>
        )}
      </Show>
      {(loaded.value?.length ?? messages) < messages && (
        <p class="form-more">
          <Button kind="quiet" onClick={() => setWanted(wanted + STEP)}>
            {t('Show more')}
          </Button>
        </p>
      )}
      {isDeleting && (
        <DeleteAll page={page} form={form} onDeleted={onChanged} onClose={() => setDeleting(false)} />
      )}
    </Section>
  );
}

interface ActionsProps extends Pick<Props, 'page' | 'form'> {
  onReadAll: () => Promise<void>;
  onDelete: () => void;
}

function Actions({ page, form: { name, unread }, onReadAll, onDelete }: ActionsProps) {
  const save = async () => saveFile(`${page.slug}-${name}.csv`, await exportForm(page.id, name));
  return (
    <>
      {unread > 0 && (
        <Button kind="quiet" onClick={onReadAll}>
          {t('Mark all as read')}
        </Button>
      )}
      <Button kind="quiet" onClick={save}>
        {t('Download CSV')}
      </Button>
      <Button kind="bare" onClick={onDelete}>
        {t('Delete all')}
      </Button>
    </>
  );
}

interface DeleteAllProps extends Pick<Props, 'page' | 'form'> {
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

function DeleteAll({ page, form: { name, messages }, onDeleted, onClose }: DeleteAllProps) {
  const confirm = async () => {
    await deleteForm(page.id, name);
    say(t('Deleted the messages of {name}.', { name }));
    await onDeleted();
  };
  return (
    <ConfirmByTyping
      title={t('Delete all messages?')}
      phrase={name}
      submit={t('Delete permanently')}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>
        {t(
          '{count|This deletes {count} message of {name}|This deletes {count} messages of {name}}, with all files. You cannot restore them. The form on the page keeps working.',
          { count: messages, name },
        )}
      </p>
    </ConfirmByTyping>
  );
}
