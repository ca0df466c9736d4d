import type { SingleSignOnState } from '../../../contract/people/single-sign-on.ts';
import { Button, formatAgo, formatMoment, type Loaded, Section, Show, say, useLoad } from '../../ui/index.ts';
import { connectSingleSignOn, disconnectSingleSignOn, readSingleSignOn } from '../api.ts';
import { useProof } from '../proof.tsx';

/** Connects the account to the single sign-on provider, or disconnects it. Empty if this server has none. */
export function SingleSignOnScreen() {
  const state = useLoad(readSingleSignOn, []);
  return (
    <Show loaded={state} skeleton="">
      {(value) =>
        value.provider && (
          <Section title="Single sign-on" hint="Log in with an account that you have somewhere else.">
            <Connection state={value} provider={value.provider} loaded={state} />
          </Section>
        )
      }
    </Show>
  );
}

function Connection({
  state,
  provider,
  loaded,
}: {
  state: SingleSignOnState;
  provider: NonNullable<SingleSignOnState['provider']>;
  loaded: Loaded<SingleSignOnState>;
}) {
  const { prove, dialog } = useProof();
  const { connection, canDisconnect } = state;
  const connect = () => prove(async (proof) => location.assign((await connectSingleSignOn(proof)).url));
  const disconnect = () =>
    prove(async (proof) => {
      say((await disconnectSingleSignOn(proof)).message);
      await loaded.reload();
    });
  if (!connection)
    return (
      <>
        <p>Your account is not connected to {provider.name}.</p>
        <div class="actions">
          <Button onClick={connect}>Connect to {provider.name}</Button>
        </div>
        {dialog}
      </>
    );
  return (
    <>
      <p>
        Your account has been connected to {provider.name} since {formatMoment(connection.createdAt)}. You
        last logged in with it {formatAgo(connection.lastUsedAt)}.
      </p>
      {!canDisconnect && (
        <p>This is your only way to log in. Set a password or add a passkey before you disconnect.</p>
      )}
      <div class="actions">
        <Button kind="danger" disabled={!canDisconnect} onClick={disconnect}>
          Disconnect from {provider.name}
        </Button>
      </div>
      {dialog}
    </>
  );
}
