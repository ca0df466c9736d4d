import { useState } from 'preact/hooks';

import { t } from '../texts/index.ts';
import {
  Badge,
  Button,
  ConfirmDialog,
  Empty,
  formatAgo,
  formatMoment,
  Icon,
  Section,
  Show,
  Skeleton,
  say,
  scopeMeaning,
} from '../ui/index.ts';
import { type Connection, endConnection } from './api.ts';
import { type Connections, isConnected } from './use-connections.ts';

/** Says when an agent connects, within seconds. */
export function LiveMark({ connections: { fresh, value, error } }: { connections: Connections }) {
  const count = value?.filter(isConnected).length ?? 0;
  return (
    <p class={`connect-live ${fresh ? 'good' : ''}`} role="status">
      {fresh ? (
        <>
          <Icon name="check" size={18} />
          <span>{t('{name} is connected.', { name: fresh.name })}</span>
        </>
      ) : (
        <>
          <span class="connect-dot" aria-hidden="true" />
          <span>
            {error
              ? t('The connections cannot be checked at the moment.')
              : count > 0
                ? t('{count|One agent is connected.|{count} agents are connected.} Waiting for another.', {
                    count,
                  })
                : t('Waiting for your agent…')}
          </span>
        </>
      )}
    </p>
  );
}

/** What can use the account now. */
export function ConnectedList({ connections }: { connections: Connections }) {
  const [ending, setEnding] = useState<Connection>();
  return (
    <Section
      title={t('Connected')}
      hint={t('Agents and programs that can use your account. Each can do only what you allowed.')}
    >
      <Show loaded={connections} skeleton={<Skeleton lines={4} />}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={t('Nothing is connected yet')}>
              {t('When an agent connects, it appears here with its last use.')}
            </Empty>
          ) : (
            <ul class="connect-list">
              {list.map((each) => (
                <Item key={`${each.kind} ${each.id}`} connection={each} onEnd={setEnding} />
              ))}
            </ul>
          )
        }
      </Show>
      {ending && (
        <EndDialog connection={ending} onClose={() => setEnding(undefined)} onDone={connections.reload} />
      )}
    </Section>
  );
}

function Item({ connection, onEnd }: { connection: Connection; onEnd: (connection: Connection) => void }) {
  const { kind, name, lastUsedAt } = connection;
  const isApp = kind === 'app';
  return (
    <li>
      <Icon name={isApp ? 'connect' : 'key'} />
      <div>
        <p class="connect-name">
          <strong>{name}</strong> <Badge>{isApp ? t('App') : t('Token')}</Badge>
        </p>
        <p class="hint">
          {lastUsedAt ? (
            <span title={formatMoment(lastUsedAt)}>
              {t('Last used {when}', { when: formatAgo(lastUsedAt) })}
            </span>
          ) : (
            t('Never used')
          )}
          {isApp && ` · ${t('from {origin}', { origin: connection.app.origin })}`}
        </p>
        <Abilities connection={connection} />
      </div>
      <Button
        kind="quiet"
        label={isApp ? t('Disconnect {name}', { name }) : t('Revoke {name}', { name })}
        onClick={() => onEnd(connection)}
      >
        {isApp ? t('Disconnect') : t('Revoke')}
      </Button>
    </li>
  );
}

function Abilities({ connection }: { connection: Connection }) {
  const { scopes } = connection;
  const page = connection.kind === 'app' ? connection.app.page : null;
  return (
    <details>
      <summary>{t('{count|One permission|{count} permissions}', { count: scopes.length })}</summary>
      <ul class="connect-scopes">
        {scopes.map((scope) => (
          <li key={scope}>{scopeMeaning(scope)}</li>
        ))}
        {page && <li>{t('Only on the page {name}', { name: page.name })}</li>}
      </ul>
    </details>
  );
}

function EndDialog({
  connection,
  onClose,
  onDone,
}: {
  connection: Connection;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const { kind, name } = connection;
  const isApp = kind === 'app';
  const end = async () => {
    await endConnection(connection);
    onClose();
    say(isApp ? t('Disconnected {name}.', { name }) : t('Revoked the token {name}.', { name }));
    await onDone();
  };
  return (
    <ConfirmDialog
      title={isApp ? t('Disconnect {name}?', { name }) : t('Revoke the token {name}?', { name })}
      action={isApp ? t('Disconnect') : t('Revoke')}
      onConfirm={end}
      onClose={onClose}
    >
      <p>
        {isApp
          ? t('It loses access at once. What it made stays. To connect it again, start from the app.')
          : t('Programs that use it lose access at once. What they made stays.')}
      </p>
    </ConfirmDialog>
  );
}
