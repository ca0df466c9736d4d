import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  Copyable,
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
import { listTokens, type PersonalToken, revokeToken } from './api.ts';
import { NewToken } from './new-token.tsx';

/** Personal tokens: what agents and programs sign in with. */
export function TokensScreen() {
  const tokens = useLoad(listTokens, []);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const [revoking, setRevoking] = useState<PersonalToken>();
  const newToken = <Button onClick={() => setMaking(true)}>New token</Button>;

  return (
    <>
      {made && <Made token={made} onClose={() => setMade(undefined)} />}
      <Section
        title="Personal tokens"
        hint="For agents, programs and the command line. Each can do only what you allow, and you can revoke each one separately. A token ends with the login that made it: one made here ends when you log out of this browser, or do not open Quire in it for 30 days."
        actions={newToken}
      >
        <Show loaded={tokens}>
          {(list) =>
            list.length === 0 ? (
              <Empty title="No tokens yet" action={newToken}>
                Make one and give it to an agent, or use it with <code>quire login</code>.
              </Empty>
            ) : (
              <Table
                caption="Personal tokens"
                rows={list}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
                  {
                    title: 'It may',
                    cell: ({ scopes }) => <span class="account-scopes">{scopes.map(scopeBadge)}</span>,
                    isMinor: true,
                  },
                  { title: 'Used', cell: ({ lastUsedAt }) => (lastUsedAt ? formatAgo(lastUsedAt) : 'never') },
                  {
                    title: 'Ends',
                    cell: ({ expiresAt }) => (expiresAt ? formatMoment(expiresAt) : 'never'),
                    isMinor: true,
                  },
                  {
                    title: 'Actions',
                    cell: (token) => (
                      <Button kind="bare" label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
                        Revoke
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Show>
      </Section>
      {isMaking && (
        <NewToken
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false);
            setMade(token);
            void tokens.reload();
          }}
        />
      )}
      {revoking && (
        <Dialog title={`Revoke ${revoking.name}?`} onClose={() => setRevoking(undefined)}>
          <p>Whoever uses it is signed out at once. This cannot be undone.</p>
          <div class="actions">
            <Button
              kind="danger"
              onClick={async () => {
                await revokeToken(revoking.id);
                setRevoking(undefined);
                say(`${revoking.name} is revoked.`);
                await tokens.reload();
              }}
            >
              Revoke
            </Button>
            <Button kind="quiet" onClick={() => setRevoking(undefined)}>
              Keep it
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const scopeBadge = (scope: string) => (
  <Badge key={scope} kind={scope === 'admin' ? 'warn' : 'plain'}>
    {scope}
  </Badge>
);

/** The one time that a token can be seen. */
function Made({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <div class="notice good" role="status">
      <div class="account-made">
        <p>
          <strong>Here is your token.</strong> Copy it now: it is not shown again.
        </p>
        <Copyable text={token} label="Token" />
      </div>
      <Button kind="quiet" onClick={onClose}>
        Done
      </Button>
    </div>
  );
}
