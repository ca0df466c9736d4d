import { useState } from 'preact/hooks';
import type { Account } from '../../contract/people/account.ts';
import { Badge, Button, Form, type Loaded, Section, Show, say, TextField, useLoad } from '../ui/index.ts';
import { changeEmail, changeUsername, readAccount, sendConfirmation } from './api.ts';
import { useProof } from './proof.tsx';

/** The username and the e-mail address of the account. */
export function ProfileScreen() {
  const account = useLoad(readAccount, []);
  return (
    <Show loaded={account}>
      {(value) => (
        <>
          <UsernameCard account={value} loaded={account} />
          <EmailCard account={value} loaded={account} />
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
      say((await changeUsername({ username, ...proof })).message);
      await loaded.reload();
    });
  return (
    <Section
      title="Username"
      hint="You log in with it, and others see it. Your old name stays reserved for you for a year."
    >
      <div class="account-narrow">
        <Form submit="Change username" disabled={username === account.username} onSubmit={save}>
          <TextField
            label="Username"
            autocomplete="username"
            value={username}
            onInput={setUsername}
            hint="3 to 32 characters: a-z, 0-9, _ and -."
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
      say((await changeEmail({ email, ...proof })).message);
      setEmail('');
      await loaded.reload();
    });
  const confirm = async () => say((await sendConfirmation()).message);
  return (
    <Section
      title="E-mail address"
      hint="You can log in with it, and reset your password with it. Others do not see it."
    >
      <div class="account-email">
        <p>
          {account.email}{' '}
          <Badge kind={emailConfirmed ? 'good' : 'plain'}>
            {emailConfirmed ? 'confirmed' : 'not confirmed'}
          </Badge>
        </p>
        {pendingEmail && <p>It changes to {pendingEmail} when you open the link that we sent there.</p>}
        {!emailConfirmed && sendsMail && (
          <div class="actions">
            <Button kind="quiet" onClick={confirm}>
              Send a link to confirm it
            </Button>
          </div>
        )}
      </div>
      <div class="account-narrow">
        <Form submit="Change address" disabled={email === ''} onSubmit={save}>
          <TextField label="New address" type="email" autocomplete="email" value={email} onInput={setEmail} />
        </Form>
      </div>
      {dialog}
    </Section>
  );
}
