import { useState } from 'preact/hooks';
import { Form, Section, say, TextField } from '../ui/index.ts';
import { changePassword } from './api.ts';

const MIN_LENGTH = 8;

export function PasswordScreen() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const isDifferent = again !== '' && again !== next;
  const send = async () => {
    const { message } = await changePassword({ current, next });
    for (const clear of [setCurrent, setNext, setAgain]) clear('');
    say(message);
  };
  return (
    <Section
      title="Change your password"
      hint="This logs you out everywhere else. Tokens that you created in this browser keep working."
    >
      <div class="account-narrow">
        <Form
          submit="Change password"
          disabled={current === '' || next.length < MIN_LENGTH || next !== again}
          onSubmit={send}
        >
          <TextField
            label="Current password"
            type="password"
            autocomplete="current-password"
            value={current}
            onInput={setCurrent}
          />
          <TextField
            label="New password"
            hint={`At least ${MIN_LENGTH} characters.`}
            type="password"
            autocomplete="new-password"
            value={next}
            onInput={setNext}
          />
          <TextField
            label="Repeat new password"
            type="password"
            autocomplete="new-password"
            value={again}
            onInput={setAgain}
            error={isDifferent ? 'The passwords do not match.' : undefined}
          />
        </Form>
      </div>
    </Section>
  );
}
