import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  type Column,
  Copyable,
  Dialog,
  Empty,
  formatAgo,
  formatCredits,
  formatMoment,
  Section,
  Show,
  say,
  Table,
  useLoad,
} from '../ui/index.ts';
import { type ListedToken, listTokens, revokeToken } from './api.ts';
import { NewToken } from './new-token.tsx';

/** Personal tokens for agents, programs and the command line. */
export function TokensScreen() {
  const tokens = useLoad(listTokens, []);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const [revoking, setRevoking] = useState<ListedToken>();
  const newToken = <Button onClick={() => setCreating(true)}>New token</Button>;

  return (
    <>
      {created && <CreatedToken token={created} onClose={() => setCreated(undefined)} />}
      <Section
        title="Personal tokens"
        hint="For agents, programs and the command line. Each token can do only what you allow, and you can revoke each one separately. A token you create here expires when you log out of this browser, or do not open Quire in it for 30 days."
        actions={newToken}
      >
        <Show loaded={tokens}>
          {(list) =>
            list.length === 0 ? (
              <Empty title="No tokens yet" action={newToken}>
                Create one for a script, or for an agent that cannot ask you for access.
              </Empty>
            ) : (
              <Table
                caption="Personal tokens"
                rows={list}
                keyOf={({ id }) => id}
                columns={columns(setRevoking)}
              />
            )
          }
        </Show>
      </Section>
      {isCreating && (
        <NewToken
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreating(false);
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
  { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Scopes',
    cell: ({ scopes }) => <span class="account-scopes">{scopes.map(scopeBadge)}</span>,
    isMinor: true,
  },
  {
    title: 'Credits',
    cell: ({ creditLimit, creditsUsed }) =>
      creditLimit === null ? (
        <span class="faint">None</span>
      ) : (
        `${formatCredits(creditsUsed)} of ${formatCredits(creditLimit)}`
      ),
    isMinor: true,
  },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? formatAgo(lastUsedAt) : 'Never') },
  {
    title: 'Expires',
    cell: ({ expiresAt }) => (expiresAt ? formatMoment(expiresAt) : 'Never'),
    isMinor: true,
  },
  {
    title: 'Actions',
    cell: (token) => (
      <Button kind="bare" label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
        Revoke
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
          <strong>Your new token.</strong> Copy it now: you cannot see it again.
        </p>
        <Copyable text={token} label="Token" />
      </div>
      <Button kind="quiet" onClick={onClose}>
        Done
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
    say(`Revoked ${token.name}.`);
    await onRevoked();
  };
  return (
    <Dialog title={`Revoke ${token.name}?`} onClose={onClose}>
      <p>Programs that use this token lose access immediately. You cannot undo this.</p>
      <div class="actions">
        <Button kind="danger" onClick={revoke}>
          Revoke
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
