import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Form, Section, Show, say, TextField, useLoad } from '../../ui/index.ts';
import { changePassword, readAccount } from '../api.ts';

const MIN_LENGTH = 8;

export function PasswordScreen() {
  const account = useLoad(readAccount, []);
  return (
    <Show loaded={account}>
      {({ hasPassword }) => <PasswordCard hasPassword={hasPassword} onChange={account.reload} />}
    </Show>
  );
}

function PasswordCard({ hasPassword, onChange }: { hasPassword: boolean; onChange: () => Promise<unknown> }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const isDifferent = again !== '' && again !== next;
  const send = async () => {
    await changePassword(hasPassword ? { current, next } : { next });
    for (const clear of [setCurrent, setNext, setAgain]) clear('');
    say(t('Your password is changed, and you are logged out everywhere else.'));
    await onChange();
  };
  return (
    <Section
      title={hasPassword ? t('Change your password') : t('Set a password')}
      hint={t('This logs you out everywhere else. Tokens that you created in this browser keep working.')}
    >
      <div class="account-narrow">
        <Form
          submit={hasPassword ? t('Change password') : t('Set password')}
          disabled={(hasPassword && current === '') || next.length < MIN_LENGTH || next !== again}
          onSubmit={send}
        >
          {hasPassword && (
            <TextField
              label={t('Current password')}
              type="password"
              autocomplete="current-password"
              value={current}
              onInput={setCurrent}
            />
          )}
          <TextField
            label={t('New password')}
            hint={t('At least {count} characters.', { count: MIN_LENGTH })}
            type="password"
            autocomplete="new-password"
            value={next}
            onInput={setNext}
          />
          <TextField
            label={t('Repeat new password')}
            type="password"
            autocomplete="new-password"
            value={again}
            onInput={setAgain}
            error={isDifferent ? t('The passwords do not match.') : undefined}
          />
        </Form>
      </div>
    </Section>
  );
}
