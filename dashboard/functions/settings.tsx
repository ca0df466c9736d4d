import { useState } from 'preact/hooks';
import { Link, navigate, useLeavingGuard } from '../router.tsx';
import {
  Button,
  ConfirmByTyping,
  Form,
  Section,
  Show,
  Switch,
  say,
  TextField,
  useLoad,
} from '../ui/index.ts';
import { deleteFunction, type FunctionDetail, listDatabaseUsers, type Patch, patchFunction } from './api.ts';
import { formatMoment } from './clock.ts';
import { dropDraft } from './code/drafts.ts';
import { fieldFault } from './fault.ts';

interface Props {
  item: FunctionDetail;
  onChange: (item: FunctionDetail) => void;
}

/** What a function is called, who may call it, and the end of it. */
export function SettingsPart({ item, onChange }: Props) {
  const change = async (patch: Patch) => onChange({ ...item, ...(await patchFunction(item.slug, patch)) });
  return (
    <div class="fn-settings">
      <Names item={item} change={change} />
      <Visibility item={item} change={change} />
      {item.hasDatabase && <DatabaseInfo slug={item.slug} />}
      <Deletion item={item} />
    </div>
  );
}

type ChangeProps = { item: FunctionDetail; change: (patch: Patch) => Promise<void> };

function Names({ item, change }: ChangeProps) {
  const [displayName, setDisplayName] = useState(item.displayName);
  const [description, setDescription] = useState(item.description);
  const [failure, setFailure] = useState<unknown>();
  const isChanged = useLeavingGuard(displayName !== item.displayName || description !== item.description);
  const save = async () => {
    setFailure(undefined);
    await change({ displayName, description }).catch((error) => {
      setFailure(error);
      throw error;
    });
    say('Saved.');
  };
  return (
    <Section title="About" hint={`${item.slug}, made ${formatMoment(item.createdAt)}.`}>
      <Form submit="Save" onSubmit={save} disabled={!isChanged.current}>
        <TextField
          label="Display name"
          error={fieldFault(failure, 'displayName')}
          value={displayName}
          onInput={setDisplayName}
        />
        <TextField
          label="Description"
          hint="Public functions are listed with it. 2,000 characters at most."
          error={fieldFault(failure, 'description')}
          value={description}
          onInput={setDescription}
          rows={3}
        />
      </Form>
    </Section>
  );
}

function Visibility({ item, change }: ChangeProps) {
  /** What it is about to be. */
  const [wanted, setWanted] = useState<boolean>();
  const toggle = async (isPublic: boolean) => {
    setWanted(isPublic);
    try {
      await change({ isPublic });
      say(isPublic ? 'Everybody may call it now.' : 'Only you can call it now.');
    } catch (error) {
      say((error as Error).message, 'bad');
    } finally {
      setWanted(undefined);
    }
  };
  return (
    <Section title="Visibility">
      <Switch
        label="Public"
        checked={wanted ?? item.isPublic}
        onChange={toggle}
        disabled={wanted !== undefined}
        hint={
          item.isPublic
            ? 'Everybody may call it, from pages and from anywhere, and it is in the list of public functions.'
            : 'It answers only to calls with a token of yours. For everybody else, pages included, it does not exist.'
        }
      />
    </Section>
  );
}

function DatabaseInfo({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => listDatabaseUsers(slug, signal), [slug]);
  return (
    <Section title="Database" hint="SQLite, bound to the code as env.DB.">
      <Show loaded={loaded}>
        {(users) => {
          const others = users.filter((user) => user !== slug);
          if (others.length === 0) return <p>It belongs to this function alone, and goes with it.</p>;
          return (
            <>
              <p>Shared with:</p>
              <ul class="fn-sharers">
                {others.map((other) => (
                  <li key={other}>
                    <Link href={`/functions/${other}`}>{other}</Link>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Show>
    </Section>
  );
}

function Deletion({ item }: { item: FunctionDetail }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section
      title="Delete"
      hint="The code, its logs, secrets and statistics go for good; its address answers no more."
      actions={
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete this function
        </Button>
      }
    >
      {isAsking && (
        <ConfirmByTyping
          title="Delete this function?"
          phrase={item.slug}
          submit="Delete for good"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await deleteFunction(item.slug);
            dropDraft(item.slug);
            say(`${item.slug} is deleted.`);
            navigate('/functions');
          }}
        >
          <Losses item={item} />
        </ConfirmByTyping>
      )}
    </Section>
  );
}

/** What goes with it; asked anew, since a function may have come to share the database meanwhile. */
function Losses({ item }: { item: FunctionDetail }) {
  const loaded = useLoad(
    async (signal) => (item.hasDatabase ? listDatabaseUsers(item.slug, signal) : []),
    [item.slug],
  );
  if (!item.hasDatabase) return <p>Its code, logs and secrets cannot be brought back.</p>;
  return (
    <Show loaded={loaded}>
      {(users) =>
        users.length > 1 ? (
          <p>
            Its code, logs and secrets cannot be brought back. The database stays:{' '}
            {users.filter((user) => user !== item.slug).join(', ')} still {users.length > 2 ? 'use' : 'uses'}{' '}
            it.
          </p>
        ) : (
          <p>
            Its code, logs and secrets cannot be brought back.{' '}
            <strong>Its database with all rows goes too</strong>, since no other function uses it; export it
            first if you may need it.
          </p>
        )
      }
    </Show>
  );
}
