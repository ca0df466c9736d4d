import { useState } from 'preact/hooks';
import type { Account } from '../../contract/accounts/own-account.ts';
import { LANGUAGES, type Language } from '../../contract/rules/texts/languages.ts';
import { chooseLanguage, language, t } from '../texts/index.ts';
import {
  Badge,
  Button,
  Form,
  type Loaded,
  Section,
  Select,
  Show,
  say,
  TextField,
  useLoad,
} from '../ui/index.ts';
import { changeEmail, changeUsername, readAccount, sendConfirmation } from './api.ts';
import { useProof } from './proof.tsx';

/** Each is called by its own name, so that people find theirs. */
const LANGUAGE_OPTIONS = Object.entries(LANGUAGES) as Array<[Language, string]>;

/** The username and the e-mail address of the account, and the language of this browser. */
export function ProfileScreen() {
  const account = useLoad(readAccount, []);
  return (
    <Show loaded={account}>
      {(value) => (
        <>
          <UsernameCard account={value} loaded={account} />
          <EmailCard account={value} loaded={account} />
          <LanguageCard />
        </>
      )}
    </Show>
  );
}

interface CardProps {
  account: Account;
  loaded: Loaded<Account>;
}

function UsernameCard({ account, loaded }: CardProps) {
  const [username, setUsername] = useState(account.username);
  const { prove, dialog } = useProof();
  const save = () =>
    prove(async (proof) => {
      await changeUsername({ username, ...proof });
      say(t('Your username is now {username}.', { username }));
      await loaded.reload();
    });
  return (
    <Section
      title={t('Username')}
      hint={t('You log in with it, and others see it. Your old name stays reserved for you for a year.')}
    >
      <div class="account-narrow">
        <Form submit={t('Change username')} disabled={username === account.username} onSubmit={save}>
          <TextField
            label={t('Username')}
            autocomplete="username"
            value={username}
            onInput={setUsername}
            hint={t('3 to 32 characters: a-z, 0-9, _ and -.')}
          />
        </Form>
      </div>
      {dialog}
    </Section>
  );
}

function EmailCard({ account, loaded }: CardProps) {
  const { emailConfirmed, pendingEmail, sendsMail } = account;
  const [email, setEmail] = useState('');
  const { prove, dialog } = useProof();
  const save = () =>
    prove(async (proof) => {
      const { isChanged } = await changeEmail({ email, ...proof });
      say(
        isChanged
          ? t('Your e-mail address is {email} now.', { email })
          : t('Open the link that we sent to {email}. Your address changes then.', { email }),
      );
      setEmail('');
      await loaded.reload();
    });
  const confirm = async () => {
    await sendConfirmation();
    say(t('Open the link that we sent to {email}.', { email: account.email }));
  };
  return (
    <Section
      title={t('E-mail address')}
      hint={t('You can log in with it, and reset your password with it. Others do not see it.')}
    >
      <div class="account-email">
        <p>
          {account.email}{' '}
          <Badge kind={emailConfirmed ? 'good' : 'plain'}>
            {emailConfirmed ? t('confirmed') : t('not confirmed')}
          </Badge>
        </p>
        {pendingEmail && (
          <p>
            {t('It changes to {email} when you open the link that we sent there.', { email: pendingEmail })}
          </p>
        )}
        {!emailConfirmed && sendsMail && (
          <div class="actions">
            <Button kind="quiet" onClick={confirm}>
              {t('Send a link to confirm it')}
            </Button>
          </div>
        )}
      </div>
      <div class="account-narrow">
        <Form submit={t('Change address')} disabled={email === ''} onSubmit={save}>
          <TextField
            label={t('New address')}
            type="email"
            autocomplete="email"
            value={email}
            onInput={setEmail}
          />
        </Form>
      </div>
      {dialog}
    </Section>
  );
}

function LanguageCard() {
  return (
    <Section
      title={t('Language')}
      hint={t('For this browser. Until you choose one, the languages that your browser prefers decide.')}
    >
      <div class="account-narrow">
        <Select
          label={t('Language')}
          hideLabel
          value={language}
          options={LANGUAGE_OPTIONS}
          onChange={chooseLanguage}
        />
      </div>
    </Section>
  );
}
