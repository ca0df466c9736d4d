import { useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Dialog,
  Form,
  formatAgo,
  formatMoment,
  Section,
  Show,
  say,
  Table,
  TextField,
  useLoad,
} from '../ui/index.ts';
import { endOtherSessions, endSession, listSessions, renameSession, type Session } from './api.ts';

/** The browsers in which the user is logged in. */
export function SessionsScreen() {
  const sessions = useLoad(listSessions, []);
  const [renamed, setRenamed] = useState<Session>();
  const end = async (session: Session) => {
    await endSession(session.id);
    say(t('Logged out {name}.', { name: session.name }));
    await sessions.reload();
  };
  const endOthers = async () => {
    await endOtherSessions();
    say(t('You are logged out everywhere else.'));
    await sessions.reload();
  };
  const rename = async (name: string) => {
    if (renamed) await renameSession(renamed.id, name);
    setRenamed(undefined);
    await sessions.reload();
  };

  return (
    <Section
      title={t('Where you are logged in')}
      hint={t('If you do not recognize a session, log it out and change your password.')}
      actions={
        (sessions.value?.length ?? 0) > 1 && (
          <Button kind="quiet" onClick={endOthers}>
            {t('Log out everywhere else')}
          </Button>
        )
      }
    >
      <Show loaded={sessions}>
        {(list) => (
          <Table
            caption={t('Sessions')}
            rows={list}
            getKey={({ id }) => id}
            columns={columns(end, setRenamed)}
          />
        )}
      </Show>
      {renamed && <RenameDialog session={renamed} onRename={rename} onClose={() => setRenamed(undefined)} />}
    </Section>
  );
}

function RenameDialog({
  session,
  onRename,
  onClose,
}: {
  session: Session;
  onRename: (name: string) => Promise<void>;
  onClose: () => void;
}) {
  const [name, setName] = useState(session.name);
  return (
    <Dialog title={t('Name this device')} onClose={onClose}>
      <Form submit={t('Save')} onSubmit={() => onRename(name)} onCancel={onClose}>
        <TextField
          label={t('Name')}
          hint={t('Leave it empty to use the default name.')}
          value={name}
          onInput={setName}
          autofocus
        />
      </Form>
    </Dialog>
  );
}

/** How somebody logged in, in words. */
const METHODS: Readonly<Record<string, string>> = {
  password: t('password'),
  passkey: t('passkey'),
  'recovery code': t('recovery code'),
  'single sign-on': t('single sign-on'),
};
const methodName = (method: string) => METHODS[method] ?? method;

const columns = (
  onEnd: (session: Session) => Promise<void>,
  onRename: (session: Session) => void,
): Array<Column<Session>> => [
  {
    title: t('Device'),
    cell: ({ name, userAgent, current }) => (
      <>
        <span title={userAgent}>{name}</span> {current && <Badge kind="good">{t('this browser')}</Badge>}
      </>
    ),
  },
  {
    title: t('Last active'),
    cell: ({ current, lastSeenAt }) => (current ? t('now') : formatAgo(lastSeenAt)),
  },
  {
    title: t('Logged in'),
    cell: ({ createdAt, method, address }) => (
      <>
        {formatMoment(createdAt)}
        <br />
        <span class="hint">
          {address
            ? t('with {method} from {address}', { method: methodName(method), address })
            : t('with {method}', { method: methodName(method) })}
        </span>
      </>
    ),
    isMinor: true,
  },
  {
    title: t('Actions'),
    isActions: true,
    cell: (session) => (
      <>
        <Button
          kind="bare"
          label={t('Rename {name}', { name: session.name })}
          onClick={() => onRename(session)}
        >
          {t('Rename')}
        </Button>
        {!session.current && (
          <Button
            kind="bare"
            label={t('Log out {name}', { name: session.name })}
            onClick={() => onEnd(session)}
          >
            {t('Log out')}
          </Button>
        )}
      </>
    ),
  },
];
