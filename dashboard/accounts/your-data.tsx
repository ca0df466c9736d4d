import { useState } from 'preact/hooks';
import { MAX_COUNTED_RECORDS } from '../../contract/rules/limits.ts';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import {
  Button,
  type Column,
  ConfirmByTyping,
  Dialog,
  Empty,
  Form,
  formatAgo,
  formatBytes,
  Progress,
  Section,
  Show,
  say,
  Table,
  useLoad,
} from '../ui/index.ts';
import { deleteAccount, deleteStored, listStored, type StoredOnPage, startExport } from './privacy-api.ts';
import { useProof } from './proof.tsx';

/** Exports the user's data, deletes what they stored on other people’s pages, and deletes the account. */
export function YourDataScreen() {
  return (
    <>
      <ExportSection />
      <StoredSection />
      <LeavingSection />
    </>
  );
}

function ExportSection() {
  const [isStarted, setStarted] = useState(false);
  const { prove, dialog } = useProof();
  const start = () =>
    prove(async (proof) => {
      location.assign((await startExport(proof)).link);
      setStarted(true);
    });
  return (
    <Section
      title={t('Export your data')}
      hint={t(
        'One archive with your account, pages, functions, databases, credits, and what you stored on other people’s pages.',
      )}
    >
      <div class="actions">
        <Button onClick={start}>{t('Export everything')}</Button>
      </div>
      {isStarted && (
        <p class="hint account-started" role="status">
          {t(
            'The download has started. Your browser shows the progress. The archive is a .tar.gz file, and its README.txt says what is in it.',
          )}
        </p>
      )}
      {dialog}
    </Section>
  );
}

function StoredSection() {
  const stored = useLoad(listStored, []);
  const [deleting, setDeleting] = useState<StoredOnPage>();
  return (
    <>
      <Section
        title={t('What you stored on other people’s pages')}
        hint={t('Records that you created and files that you uploaded while you were logged in.')}
      >
        <Show loaded={stored}>
          {({ pages, hasMore }) =>
            pages.length === 0 ? (
              <Empty icon="page" title={t('Nothing stored elsewhere')}>
                {t('What you store on other people’s pages is listed here.')}
              </Empty>
            ) : (
              <>
                <Table
                  caption={t('What you stored on other people’s pages')}
                  rows={pages}
                  getKey={({ pageId }) => pageId}
                  columns={columns(setDeleting)}
                />
                {hasMore && <p class="hint">{t('There are more pages. The export has all of them.')}</p>}
              </>
            )
          }
        </Show>
      </Section>
      {deleting && (
        <DeleteStoredDialog
          page={deleting}
          onClose={() => setDeleting(undefined)}
          onDone={() => stored.reload()}
        />
      )}
    </>
  );
}

const columns = (onDelete: (page: StoredOnPage) => void): Array<Column<StoredOnPage>> => [
  {
    title: t('Page'),
    cell: ({ name, slug }) => <a href={`/p/${slug}`}>{name || `/p/${slug}`}</a>,
  },
  { title: t('Stored'), cell: (page) => describeAmount(page) },
  { title: t('Size'), cell: ({ bytes }) => formatBytes(bytes), isNumber: true, isMinor: true },
  {
    title: t('Last stored'),
    cell: ({ lastStoredAt }) => (lastStoredAt === null ? '' : formatAgo(lastStoredAt)),
    isMinor: true,
  },
  {
    title: t('Actions'),
    isActions: true,
    cell: (page) => (
      <Button
        kind="bare"
        label={t('Delete what you stored on {name}', { name: page.name })}
        onClick={() => onDelete(page)}
      >
        {t('Delete')}
      </Button>
    ),
  },
];

const describeAmount = ({ records, files }: StoredOnPage) =>
  [
    records > 0 &&
      (records >= MAX_COUNTED_RECORDS
        ? t('{count}+ records', { count: records })
        : t('{count|{count} record|{count} records}', { count: records })),
    files > 0 && t('{count|{count} file|{count} files}', { count: files }),
  ]
    .filter(Boolean)
    .join(', ');

function DeleteStoredDialog({
  page,
  onClose,
  onDone,
}: {
  page: StoredOnPage;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const [deleted, setDeleted] = useState<number>();
  const send = async () => {
    setDeleted(0);
    try {
      await deleteStored(page.pageId, setDeleted);
    } finally {
      await onDone();
    }
    say(t('What you stored on {name} is deleted.', { name: page.name }));
    onClose();
  };
  return (
    <Dialog title={t('Delete what you stored on {name}?', { name: page.name })} onClose={onClose}>
      <p>
        {t(
          'This permanently deletes {what}. It does not delete replies and copies that others made. The page may no longer work for you as before.',
          { what: describeAmount(page) },
        )}
      </p>
      {deleted !== undefined && (
        <Progress label={t('Deleted')} done={deleted} total={Math.max(deleted, page.records + page.files)} />
      )}
      <Form submit={t('Delete')} onSubmit={send} onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}

function LeavingSection() {
  const [isOpen, setOpen] = useState(false);
  const { prove, dialog } = useProof();
  const username = me.value?.username ?? '';
  const leave = () =>
    prove(async (proof) => {
      await deleteAccount(username, proof);
      // The user is logged out now. The login screen says how to keep the account.
      location.assign('/login');
    });
  return (
    <Section
      title={t('Delete your account')}
      hint={t(
        'Your pages and functions stop at once. After seven days they are deleted with everything else. Until then, you can log in and keep the account.',
      )}
    >
      <div class="actions">
        {/* Until the name is known, nothing typed could differ from it. */}
        <Button kind="danger" disabled={username === ''} onClick={() => setOpen(true)}>
          {t('Delete account')}
        </Button>
      </div>
      {isOpen && (
        <ConfirmByTyping
          title={t('Delete your account?')}
          phrase={username}
          submit={t('Delete account')}
          onConfirm={async () => {
            await leave();
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        >
          <p>
            {t(
              'This logs you out everywhere. After seven days, your pages, functions, databases and files cannot be restored. What you wrote on other people’s pages stays there without your name. Export your data first if you want to keep it.',
            )}
          </p>
        </ConfirmByTyping>
      )}
      {dialog}
    </Section>
  );
}
