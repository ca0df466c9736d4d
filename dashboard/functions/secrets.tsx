import { useState } from 'preact/hooks';
import { MAX_SECRET_BYTES } from '../../contract/rules/limits.ts';
import { useLeavingGuard } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import {
  Button,
  type Column,
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

/** The secrets of a function. Their values can be replaced but not read. */
export function SecretsPart({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => listSecrets(slug, signal), [slug]);
  const [name, setName] = useState('');
  const [deleting, setDeleting] = useState<string>();
  return (
    <>
      <Section
        title={t('Secrets')}
        hint={rich(
          'Strings for your code, such as API keys of other services. Your code reads them as <code>env.NAME</code>. They are stored encrypted and cannot be shown again.',
          { code: (text) => <code>{text}</code> },
        )}
      >
        <Show loaded={loaded}>
          {(names) =>
            names.length === 0 ? (
              <Empty icon="key" title={t('No secrets yet')}>
                {t('Add one below. Your code can read it as env.NAME from the next call on.')}
              </Empty>
            ) : (
              <div class="stacks">
                <Table
                  caption={t('Secrets')}
                  rows={names}
                  getKey={(each) => each}
                  columns={columns(setName, setDeleting)}
                />
              </div>
            )
          }
        </Show>
      </Section>
      <SecretForm
        slug={slug}
        name={name}
        setName={setName}
        isReplacing={loaded.value?.includes(name) ?? false}
        onSaved={loaded.reload}
      />
      {deleting && (
        <DeleteDialog
          slug={slug}
          name={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={loaded.reload}
        />
      )}
    </>
  );
}

const columns = (
  onReplace: (name: string) => void,
  onDelete: (name: string) => void,
): Array<Column<string>> => [
  { title: t('Name'), cell: (name) => <code>{name}</code> },
  { title: t('In your code'), cell: (name) => <code>env.{name}</code>, isMinor: true },
  {
    title: t('Actions'),
    isActions: true,
    cell: (name) => (
      <>
        <Button kind="bare" label={t('Replace {name}', { name })} onClick={() => onReplace(name)}>
          {t('Replace')}
        </Button>
        <Button kind="bare" label={t('Delete {name}', { name })} onClick={() => onDelete(name)}>
          {t('Delete')}
        </Button>
      </>
    ),
  },
];

interface SecretFormProps {
  slug: string;
  name: string;
  setName: (name: string) => void;
  isReplacing: boolean;
  onSaved: () => Promise<void>;
}

function SecretForm({ slug, name, setName, isReplacing, onSaved }: SecretFormProps) {
  const [value, setValue] = useState('');
  const [failure, setFailure] = useState<unknown>();
  useLeavingGuard(value !== '');
  const save = async () => {
    setFailure(undefined);
    try {
      await setSecret(slug, name, value);
    } catch (error) {
      setFailure(error);
      throw error;
    }
    say(t('Saved {name}. Your code can read it from the next call on.', { name }));
    setName('');
    setValue('');
    await onSaved();
  };
  return (
    <Section title={isReplacing ? t('Replace {name}', { name }) : t('Add a secret')}>
      <Form
        submit={isReplacing ? t('Replace') : t('Add')}
        disabled={name === '' || value === '' || secretNameFault(name) !== undefined}
        onSubmit={save}
      >
        <TextField
          label={t('Name')}
          hint={t('Uppercase letters, digits and _, for example API_KEY.')}
          error={secretNameFault(name) ?? fieldFault(failure, 'name')}
          value={name}
          onInput={setName}
          mono
        />
        <TextField
          label={t('Value')}
          hint={t('At most {size}. You cannot see it again.', { size: formatBytes(MAX_SECRET_BYTES) })}
          value={value}
          onInput={setValue}
          rows={3}
          mono
        />
      </Form>
    </Section>
  );
}

interface DeleteProps {
  slug: string;
  name: string;
  onClose: () => void;
  onDeleted: () => Promise<void>;
}

function DeleteDialog({ slug, name, onClose, onDeleted }: DeleteProps) {
  return (
    <ConfirmByTyping
      title={t('Delete this secret?')}
      phrase={name}
      submit={t('Delete')}
      onClose={onClose}
      onConfirm={async () => {
        await deleteSecret(slug, name);
        onClose();
        say(t('Deleted {name}.', { name }));
        await onDeleted();
      }}
    >
      <p>
        {rich(
          'From the next call on, <code>env.{name}</code> is undefined. You cannot restore the value.',
          { code: (text) => <code>{text}</code> },
          { name },
        )}
      </p>
    </ConfirmByTyping>
  );
}
