import { useState } from 'preact/hooks';
import { useLeavingGuard } from '../router.tsx';
import {
  Button,
  ConfirmByTyping,
  Empty,
  Form,
  formatBytes,
  Section,
  Show,
  say,
  Table,
  TextField,
  useLoad,
} from '../ui/index.ts';
import { deleteSecret, listSecrets, setSecret } from './api.ts';
import { fieldFault } from './fault.ts';
import { secretNameFault } from './names.ts';

/** The service takes no more. */
const MAX_VALUE_BYTES = 64 * 1024;

/** The names of a function's secrets. Their values can be replaced, and never be seen. */
export function SecretsPart({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => listSecrets(slug, signal), [slug]);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const [deleting, setDeleting] = useState<string>();
  useLeavingGuard(value !== '');
  const isReplacing = loaded.value?.includes(name) ?? false;

  const save = async () => {
    setFailure(undefined);
    try {
      await setSecret(slug, name, value);
    } catch (error) {
      setFailure(error);
      throw error;
    }
    say(`${name} is set. The next call has it.`);
    setName('');
    setValue('');
    await loaded.reload();
  };

  return (
    <>
      <Section
        title="Secrets"
        hint={
          <>
            Strings for your code alone, such as keys of other services: <code>env.NAME</code>. They are
            stored sealed, and nobody can read them back here.
          </>
        }
      >
        <Show loaded={loaded}>
          {(names) =>
            names.length === 0 ? (
              <Empty title="No secrets yet">
                Set one below; the code reads it as env.NAME from the next call on.
              </Empty>
            ) : (
              <div class="fn-secrets">
                <Table
                  caption="Secrets"
                  rows={names}
                  keyOf={(each) => each}
                  columns={[
                    { title: 'Name', cell: (each) => <code>{each}</code> },
                    { title: 'In the code', cell: (each) => <code>env.{each}</code>, isMinor: true },
                    {
                      title: 'Change',
                      isNumber: true,
                      cell: (each) => (
                        <span class="actions fn-end">
                          <Button kind="bare" label={`Replace ${each}`} onClick={() => setName(each)}>
                            Replace
                          </Button>
                          <Button kind="bare" label={`Delete ${each}`} onClick={() => setDeleting(each)}>
                            Delete
                          </Button>
                        </span>
                      ),
                    },
                  ]}
                />
              </div>
            )
          }
        </Show>
      </Section>
      <Section title={isReplacing ? `Replace ${name}` : 'Set a secret'}>
        <Form
          submit={isReplacing ? 'Replace' : 'Set'}
          disabled={name === '' || value === '' || secretNameFault(name) !== undefined}
          onSubmit={save}
        >
          <TextField
            label="Name"
            hint="Capitals, digits and _, such as API_KEY."
            error={secretNameFault(name) ?? fieldFault(failure, 'name')}
            value={name}
            onInput={setName}
            mono
          />
          <TextField
            label="Value"
            hint={`${formatBytes(MAX_VALUE_BYTES)} at most. It is not shown again.`}
            value={value}
            onInput={setValue}
            rows={3}
            mono
          />
        </Form>
      </Section>
      {deleting && (
        <ConfirmByTyping
          title="Delete this secret?"
          phrase={deleting}
          submit="Delete"
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await deleteSecret(slug, deleting);
            setDeleting(undefined);
            say(`${deleting} is deleted.`);
            await loaded.reload();
          }}
        >
          <p>
            From the next call on, <code>env.{deleting}</code> is undefined. The value cannot be brought back.
          </p>
        </ConfirmByTyping>
      )}
    </>
  );
}
