import { useState } from 'preact/hooks';
import { SCOPE_MEANINGS, type Scope } from '../../contract/scopes.ts';
import {
  Badge,
  Button,
  type Column,
  Dialog,
  Empty,
  formatAgo,
  formatMoment,
  Section,
  Show,
  say,
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
        title="Connected apps"
        hint="Agents and programs that you allowed to use your account. Each can do only what you ticked. If you do not recognize one, disconnect it."
      >
        <Show loaded={apps}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="connect" title="No connected apps">
                When an agent or <code>quire login</code> asks for access and you allow it, it is listed here.{' '}
                <a href="/docs/agents">How to connect one</a>
              </Empty>
            ) : (
              <Table
                caption="Connected apps"
                rows={list}
                keyOf={({ id }) => id}
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
    title: 'App',
    cell: (app) => (
      <div class="account-app">
        <strong>{app.name}</strong>
        <span>
          From {app.origin} {app.isVerified ? null : <Badge>name not checked</Badge>}
        </span>
        <Abilities app={app} />
        <span class="account-when">Last used {formatAgo(app.lastUsedAt)}</span>
      </div>
    ),
  },
  { title: 'Last used', cell: ({ lastUsedAt }) => formatAgo(lastUsedAt), isMinor: true },
  { title: 'Since', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: 'Actions',
    cell: (app) => (
      <Button kind="bare" label={`Disconnect ${app.name}`} onClick={() => onDisconnect(app)}>
        Disconnect
      </Button>
    ),
  },
];

/** What an app can do, in words. */
function Abilities({ app: { scopes, page } }: { app: ConnectedApp }) {
  return (
    <ul class="account-abilities">
      {scopes.map((scope) => (
        <li key={scope}>{SCOPE_MEANINGS[scope as Scope] ?? scope}</li>
      ))}
      {page && (
        <li>
          Only on the page <a href={`/p/${page.slug}`}>{page.name}</a>
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
    say(`Disconnected ${app.name}.`);
    await onDone();
  };
  return (
    <Dialog title={`Disconnect ${app.name}?`} onClose={onClose}>
      <p>It immediately loses what you allowed:</p>
      <Abilities app={app} />
      <p>What it made stays. To connect it again, start from the app.</p>
      <div class="actions">
        <Button kind="danger" onClick={disconnect}>
          Disconnect
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
