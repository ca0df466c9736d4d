import { useState } from 'preact/hooks';

import { rich, t, translated } from '../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  Empty,
  formatAgo,
  formatMoment,
  Section,
  Show,
  say,
  scopeMeaning,
  Table,
  useLoad,
} from '../ui/index.ts';
import { type ConnectedApp, disconnectApp, listApps } from './api.ts';

/** Apps that the user connected. Their names are what the apps call themselves. */
export function AppsScreen() {
  const apps = useLoad(listApps, []);
  const [leaving, setLeaving] = useState<ConnectedApp>();
  return (
    <>
      <Section
        title={t('Connected apps')}
        hint={t(
          'Agents and programs that you allowed to use your account. Each can do only what you ticked. If you do not recognize one, disconnect it.',
        )}
      >
        <Show loaded={apps}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="connect" title={t('No connected apps')}>
                {rich(
                  'When an agent or <code>quire login</code> asks for access and you allow it, it is listed here. <a>How to connect one</a>',
                  { code: (text) => <code>{text}</code>, a: (text) => <a href="/docs/agents">{text}</a> },
                )}
              </Empty>
            ) : (
              <Table
                caption={t('Connected apps')}
                rows={list}
                getKey={({ id }) => id}
                columns={columns(setLeaving)}
              />
            )
          }
        </Show>
      </Section>
      {leaving && (
        <DisconnectDialog app={leaving} onClose={() => setLeaving(undefined)} onDone={apps.reload} />
      )}
    </>
  );
}

const columns = (onDisconnect: (app: ConnectedApp) => void): Array<Column<ConnectedApp>> => [
  {
    title: t('App'),
    cell: (app) => (
      <div class="account-app">
        <strong>{app.name}</strong>
        <span>
          {t('From {origin}', { origin: translated({ text: app.origin }) })}{' '}
          {app.isVerified ? null : <Badge>{t('name not checked')}</Badge>}
        </span>
        <Abilities app={app} />
        <span class="account-when">{t('Last used {when}', { when: formatAgo(app.lastUsedAt) })}</span>
      </div>
    ),
  },
  { title: t('Last used'), cell: ({ lastUsedAt }) => formatAgo(lastUsedAt), isMinor: true },
  { title: t('Since'), cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: t('Actions'),
    isActions: true,
    cell: (app) => (
      <Button
        kind="bare"
        label={t('Disconnect {name}', { name: app.name })}
        onClick={() => onDisconnect(app)}
      >
        {t('Disconnect')}
      </Button>
    ),
  },
];

/** What an app can do, in words. */
function Abilities({ app: { scopes, page, branches_only } }: { app: ConnectedApp }) {
  return (
    <ul class="account-abilities">
      {scopes.map((scope) => (
        <li key={scope}>{scopeMeaning(scope)}</li>
      ))}
      {branches_only && <li>{t('Only on branches')}</li>}
      {page && (
        <li>
          {rich(
            'Only on the page <a>{name}</a>',
            { a: (text) => <a href={`/p/${page.slug}`}>{text}</a> },
            { name: page.name },
          )}
        </li>
      )}
    </ul>
  );
}

interface DisconnectProps {
  app: ConnectedApp;
  onClose: () => void;
  onDone: () => Promise<void>;
}

function DisconnectDialog({ app, onClose, onDone }: DisconnectProps) {
  const disconnect = async () => {
    await disconnectApp(app.id);
    onClose();
    say(t('Disconnected {name}.', { name: app.name }));
    await onDone();
  };
  return (
    <ConfirmDialog
      title={t('Disconnect {name}?', { name: app.name })}
      action={t('Disconnect')}
      onConfirm={disconnect}
      onClose={onClose}
    >
      <p>{t('It immediately loses what you allowed:')}</p>
      <Abilities app={app} />
      <p>{t('What it made stays. To connect it again, start from the app.')}</p>
    </ConfirmDialog>
  );
}
