import type { SingleSignOnState } from '../../../contract/accounts/single-sign-on.ts';
import { t } from '../../texts/index.ts';
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
          <Section
            title={t('Single sign-on')}
            hint={t('Log in with an account that you have somewhere else.')}
          >
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
      await disconnectSingleSignOn(proof);
      say(t('Your account is no longer connected to {name}.', { name: provider.name }));
      await loaded.reload();
    });
  if (!connection)
    return (
      <>
        <p>{t('Your account is not connected to {name}.', { name: provider.name })}</p>
        <div class="actions">
          <Button onClick={connect}>{t('Connect to {name}', { name: provider.name })}</Button>
        </div>
        {dialog}
      </>
    );
  return (
    <>
      <p>
        {t('Your account has been connected to {name} since {moment}. You last logged in with it {ago}.', {
          name: provider.name,
          moment: formatMoment(connection.createdAt),
          ago: formatAgo(connection.lastUsedAt),
        })}
      </p>
      {!canDisconnect && (
        <p>{t('This is your only way to log in. Set a password or add a passkey before you disconnect.')}</p>
      )}
      <div class="actions">
        <Button kind="danger" disabled={!canDisconnect} onClick={disconnect}>
          {t('Disconnect from {name}', { name: provider.name })}
        </Button>
      </div>
      {dialog}
    </>
  );
}
