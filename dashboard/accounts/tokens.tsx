import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../router.tsx';
import { t } from '../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  Copyable,
  Empty,
  formatAgo,
  formatCredits,
  formatDate,
  formatMoment,
  Section,
  Show,
  say,
  Table,
  useLoad,
} from '../ui/index.ts';
import { type ListedToken, listTokens, revokeToken } from './api.ts';
import { NewToken } from './new-token.tsx';

/** Personal tokens for agents, programs and the command line. `isMaking` opens the dialog for a new one. */
export function TokensScreen({ isMaking = false }: { isMaking?: boolean }) {
  const tokens = useLoad(listTokens, []);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const [revoking, setRevoking] = useState<ListedToken>();
  useEffect(() => {
    if (isMaking) setCreating(true);
  }, [isMaking]);
  const close = () => {
    setCreating(false);
    if (isMaking) navigate('/account', { replace: true });
  };
  const newToken = <Button onClick={() => setCreating(true)}>{t('New token')}</Button>;

  return (
    <>
      {created && <CreatedToken token={created} onClose={() => setCreated(undefined)} />}
      <Section
        title={t('Personal tokens')}
        hint={t(
          'For agents, programs and the command line. Each can do only what you allow. They stop working when you log out here, or after 30 days away.',
        )}
        actions={(tokens.value?.length ?? 0) > 0 && newToken}
      >
        <Show loaded={tokens}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="key" title={t('No tokens yet')} action={newToken}>
                {t('Create one for a script, or for an agent that cannot ask you for access.')}
              </Empty>
            ) : (
              <Table
                caption={t('Personal tokens')}
                rows={list}
                getKey={({ id }) => id}
                columns={columns(setRevoking)}
              />
            )
          }
        </Show>
      </Section>
      {isCreating && (
        <NewToken
          onClose={close}
          onCreated={(token) => {
            close();
            setCreated(token);
            void tokens.reload();
          }}
        />
      )}
      {revoking && (
        <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} onRevoked={tokens.reload} />
      )}
    </>
  );
}

const columns = (onRevoke: (token: ListedToken) => void): Array<Column<ListedToken>> => [
  { title: t('Name'), cell: ({ name }) => <strong>{name}</strong> },
  {
    title: t('Scopes'),
    cell: ({ scopes, branches_only }) => (
      <span class="account-scopes">
        {branches_only && <Badge>{t('Only on branches')}</Badge>}
        {scopes.map(scopeBadge)}
      </span>
    ),
    isMinor: true,
  },
  {
    title: t('Credits'),
    cell: ({ creditLimit, creditsUsed }) =>
      creditLimit === null ? (
        <span class="faint">{t('None')}</span>
      ) : (
        t('{used} of {limit}', { used: formatCredits(creditsUsed), limit: formatCredits(creditLimit) })
      ),
    isMinor: true,
  },
  { title: t('Last used'), cell: ({ lastUsedAt }) => (lastUsedAt ? formatAgo(lastUsedAt) : t('Never')) },
  {
    title: t('Expires'),
    cell: ({ expiresAt }) =>
      expiresAt ? (
        <span class="account-time" title={formatMoment(expiresAt)}>
          {formatDate(expiresAt)}
        </span>
      ) : (
        t('Never')
      ),
  },
  {
    title: t('Actions'),
    isActions: true,
    cell: (token) => (
      <Button kind="bare" label={t('Revoke {name}', { name: token.name })} onClick={() => onRevoke(token)}>
        {t('Revoke')}
      </Button>
    ),
  },
];

const scopeBadge = (scope: string) => (
  <Badge key={scope} kind={scope === 'admin' ? 'warn' : 'plain'}>
    {scope}
  </Badge>
);

/** Shows a new token. It cannot be shown again. */
function CreatedToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <div class="notice good" role="status">
      <div class="account-made">
        <p>
          <strong>{t('Your new token.')}</strong> {t('Copy it now: you cannot see it again.')}
        </p>
        <Copyable text={token} label={t('Token')} />
      </div>
      <Button kind="quiet" onClick={onClose}>
        {t('Done')}
      </Button>
    </div>
  );
}

interface RevokeProps {
  token: ListedToken;
  onClose: () => void;
  onRevoked: () => Promise<void>;
}

function RevokeDialog({ token, onClose, onRevoked }: RevokeProps) {
  const revoke = async () => {
    await revokeToken(token.id);
    onClose();
    say(t('Revoked {name}.', { name: token.name }));
    await onRevoked();
  };
  return (
    <ConfirmDialog
      title={t('Revoke {name}?', { name: token.name })}
      action={t('Revoke')}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{t('Programs that use this token lose access immediately. You cannot undo this.')}</p>
    </ConfirmDialog>
  );
}
