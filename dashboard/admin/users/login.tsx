import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Copyable, Dialog, formatMoment, Section, say } from '../../ui/index.ts';
import { endSessions, makeResetLink, type ResetLink, turnSecondFactorOff, type UserDetail } from '../api.ts';
import { Ask } from '../ask.tsx';
import { Fact, type UserPart } from './part.tsx';

type LoginAction = 'reset' | 'second-factor' | 'sessions';

/** How the user logs in, and help if they cannot. */
export function LoginSection({ user, isSelf, reload }: UserPart) {
  const [asked, setAsked] = useState<LoginAction>();
  const [link, setLink] = useState<ResetLink>();
  const close = () => setAsked(undefined);
  const finish = async (text: string) => {
    close();
    say(text);
    await reload();
  };
  return (
    <Section title={t('Login')} hint={t('Help for users who cannot log in.')}>
      <Ways login={user.login} />
      <div class="actions admin-actions">
        <Button kind="quiet" disabled={isSelf} onClick={() => setAsked('reset')}>
          {t('Create a reset link')}
        </Button>
        <Button
          kind="quiet"
          disabled={isSelf || !user.login.needsSecondFactor}
          onClick={() => setAsked('second-factor')}
        >
          {t('Turn off the second factor')}
        </Button>
        <Button kind="quiet" onClick={() => setAsked('sessions')}>
          {t('Log out everywhere')}
        </Button>
      </div>
      {isSelf && (
        <p class="hint">
          {t('This is your own account. Change your password and passkeys on the account page.')}
        </p>
      )}
      <Questions {...{ user, asked, close, finish, setLink }} />
      {link && <ShownLink link={link} username={user.username} onClose={() => setLink(undefined)} />}
    </Section>
  );
}

interface QuestionsProps {
  user: UserDetail;
  asked: LoginAction | undefined;
  close: () => void;
  finish: (text: string) => Promise<void>;
  setLink: (link: ResetLink) => void;
}

function Questions({ user, asked, close, finish, setLink }: QuestionsProps) {
  const { id, username } = user;
  if (asked === 'reset')
    return (
      <Ask
        title={t('Reset the password of {username}', { username })}
        submit={t('Create the link')}
        onClose={close}
        onConfirm={async () => {
          setLink(await makeResetLink(id));
          close();
        }}
      >
        <p>{t('Anyone with the link can set a new password, once. The old password works until then.')}</p>
      </Ask>
    );
  if (asked === 'second-factor')
    return (
      <Ask
        title={t('Turn off the second factor of {username}', { username })}
        submit={t('Turn it off')}
        onClose={close}
        onConfirm={async () => {
          await turnSecondFactorOff(id);
          await finish(t('{username} can now log in with the password alone.', { username }));
        }}
      >
        <p>
          {t(
            'Do this only if you are sure that it was this user who asked. Then the password alone is enough to log in.',
          )}
        </p>
      </Ask>
    );
  if (asked !== 'sessions') return null;
  return (
    <Ask
      title={t('Log out {username} everywhere', { username })}
      submit={t('Log out everywhere')}
      onClose={close}
      onConfirm={async () => {
        await endSessions(id);
        await finish(t('{username} is logged out everywhere.', { username }));
      }}
    >
      <p>{t('This ends every browser session, every token and every connected app of the account.')}</p>
    </Ask>
  );
}

function Ways({ login }: Pick<UserDetail, 'login'>) {
  return (
    <dl class="admin-facts">
      <Fact title={t('Password')}>{login.hasPassword ? t('Set') : t('None')}</Fact>
      <Fact title={t('Passkeys')}>
        {login.passkeys === 0
          ? t('None')
          : t('{count|{count} passkey|{count} passkeys}', { count: login.passkeys })}
      </Fact>
      <Fact title={t('Second factor')}>
        {login.needsSecondFactor
          ? t('Required, {count|{count} recovery code|{count} recovery codes} left', {
              count: login.recoveryCodes,
            })
          : t('Not required')}
      </Fact>
      <Fact title={t('Single sign-on')}>{login.singleSignOn.join(', ') || t('Not connected')}</Fact>
    </dl>
  );
}

/** The link is shown only once, because the server stores only its hash. */
function ShownLink(props: { link: ResetLink; username: string; onClose: () => void }) {
  const { link, username, onClose } = props;
  return (
    <Dialog title={t('The reset link')} onClose={onClose}>
      <p>
        {t(
          'Send this to {username}, so that nobody else can read it. It works once, until {moment}, and is not shown again.',
          { username, moment: formatMoment(link.expiresAt) },
        )}
      </p>
      <div class="admin-secret">
        <Copyable text={link.link} label={t('Link')} />
      </div>
      <div class="actions">
        <Button onClick={onClose}>{t('Done')}</Button>
      </div>
    </Dialog>
  );
}
