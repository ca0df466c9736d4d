import { useState } from 'preact/hooks';
import { AI_DAILY_LIMIT, MAX_FUNCTION_DESCRIPTION } from '../../contract/rules/limits.ts';
import { Link, navigate, useLeavingGuard } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import {
  Button,
  ConfirmByTyping,
  Form,
  formatMoment,
  Section,
  Settings,
  Show,
  Switch,
  say,
  TextField,
  useLoad,
} from '../ui/index.ts';
import {
  deleteFunction,
  type FunctionDetail,
  listDatabaseUsers,
  type PatchFunction,
  patchFunction,
} from './api.ts';
import { dropDraft } from './code/drafts.ts';
import { fieldFault } from './fault.ts';
import { PageLink } from './page-link.tsx';

interface Props {
  item: FunctionDetail;
  onChange: (item: FunctionDetail) => void;
}

/** The name of a function, who can call it, and its deletion. */
export function SettingsPart({ item, onChange }: Props) {
  const change = async (patch: PatchFunction) =>
    onChange({ ...item, ...(await patchFunction(item.slug, patch)) });
  return (
    <Settings>
      <Names item={item} change={change} />
      <PageSection item={item} />
      <Visibility item={item} change={change} />
      <AiLimit item={item} change={change} />
      {item.hasDatabase && <DatabaseInfo slug={item.slug} />}
      <Deletion item={item} />
    </Settings>
  );
}

type ChangeProps = { item: FunctionDetail; change: (patch: PatchFunction) => Promise<void> };

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
    say(t('Saved.'));
  };
  return (
    <Section
      id="about"
      title={t('About')}
      hint={t('{slug}, created {date}.', { slug: item.slug, date: formatMoment(item.createdAt) })}
    >
      <Form submit={t('Save')} onSubmit={save} disabled={!isChanged.current}>
        <TextField
          label={t('Display name')}
          error={fieldFault(failure, 'displayName')}
          value={displayName}
          onInput={setDisplayName}
        />
        <TextField
          label={t('Description')}
          hint={t('Shown in the list of public functions. At most {max} characters.', {
            max: MAX_FUNCTION_DESCRIPTION,
          })}
          error={fieldFault(failure, 'description')}
          value={description}
          onInput={setDescription}
          rows={3}
        />
      </Form>
    </Section>
  );
}

/** The page that the function belongs to. The page's settings change it. */
function PageSection({ item: { page } }: { item: FunctionDetail }) {
  return (
    <Section
      id="page"
      title={t('Page')}
      hint={t('A function that belongs to a page can use the data, messages and team of that page.')}
    >
      <p>
        {page ? (
          <PageLink page={page} />
        ) : (
          t('It belongs to no page. Add it in the settings of a page, under Functions.')
        )}
      </p>
    </Section>
  );
}

function Visibility({ item, change }: ChangeProps) {
  /** The new value while it is being saved. */
  const [wanted, setWanted] = useState<boolean>();
  const toggle = async (isPublic: boolean) => {
    setWanted(isPublic);
    try {
      await change({ isPublic });
      say(isPublic ? t('Anyone can call this function now.') : t('Only you can call this function now.'));
    } catch (error) {
      say((error as Error).message, 'bad');
    } finally {
      setWanted(undefined);
    }
  };
  return (
    <Section id="visibility" title={t('Visibility')}>
      <Switch
        label={t('Public')}
        checked={wanted ?? item.isPublic}
        onChange={toggle}
        disabled={wanted !== undefined}
        hint={
          item.isPublic
            ? t('Anyone can call it, from pages and from anywhere. It is in the list of public functions.')
            : t('Only you can call it, with a token. Pages and other people get “not found”.')
        }
      />
    </Section>
  );
}

/** What the function can spend on models in a day. */
function AiLimit({ item, change }: ChangeProps) {
  const { aiDailyLimit = AI_DAILY_LIMIT.usual, aiUsedToday = 0 } = item;
  const [limit, setLimit] = useState(String(aiDailyLimit));
  const [failure, setFailure] = useState<unknown>();
  const isChanged = useLeavingGuard(limit !== String(aiDailyLimit));
  const save = async () => {
    setFailure(undefined);
    await change({ aiDailyLimit: limit.trim() === '' ? 0 : Number(limit) }).catch((error) => {
      setFailure(error);
      throw error;
    });
    say(t('Saved.'));
  };
  return (
    <Section
      id="ai"
      title={t('AI')}
      hint={t('Your code asks models with env.AI, and you pay for it with your credits.')}
    >
      <Form submit={t('Save')} onSubmit={save} disabled={!isChanged.current}>
        <TextField
          label={t('Credits a day')}
          type="number"
          hint={
            aiUsedToday > 0
              ? t('{used} used today. 0 turns AI off.', { used: Math.round(aiUsedToday * 100) / 100 })
              : t('When they are used up, env.AI fails until the next day (UTC). 0 turns AI off.')
          }
          error={fieldFault(failure, 'aiDailyLimit')}
          value={limit}
          onInput={setLimit}
        />
      </Form>
    </Section>
  );
}

function DatabaseInfo({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => listDatabaseUsers(slug, signal), [slug]);
  return (
    <Section id="database" title={t('Database')} hint={t('A SQLite database. Your code uses it as env.DB.')}>
      <Show loaded={loaded}>
        {(users) => {
          const others = users.filter((user) => user !== slug);
          if (others.length === 0)
            return <p>{t('Only this function uses the database. It is deleted with the function.')}</p>;
          return (
            <>
              <p>{t('Shared with:')}</p>
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
      id="delete"
      title={t('Delete')}
      hint={t('Permanently deletes the code, logs, secrets and statistics. Calls to its URL then fail.')}
    >
      <div class="actions">
        <Button kind="danger" onClick={() => setAsking(true)}>
          {t('Delete this function')}
        </Button>
      </div>
      {isAsking && (
        <ConfirmByTyping
          title={t('Delete this function?')}
          phrase={item.slug}
          submit={t('Delete permanently')}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await deleteFunction(item.slug);
            dropDraft(item.slug);
            say(t('Deleted {name}.', { name: item.slug }));
            navigate('/functions');
          }}
        >
          <Losses item={item} />
        </ConfirmByTyping>
      )}
    </Section>
  );
}

/** What the deletion removes. Loaded when asked, because other functions may share the database by now. */
function Losses({ item }: { item: FunctionDetail }) {
  const loaded = useLoad(
    async (signal) => (item.hasDatabase ? listDatabaseUsers(item.slug, signal) : []),
    [item.slug],
  );
  if (!item.hasDatabase) return <p>{t('You cannot restore its code, logs and secrets.')}</p>;
  return (
    <Show loaded={loaded}>
      {(users) =>
        users.length > 1 ? (
          <p>
            {t(
              'You cannot restore its code, logs and secrets. The database stays, because {names} {count|uses|use} it.',
              {
                names: users.filter((user) => user !== item.slug).join(', '),
                count: users.length - 1,
              },
            )}
          </p>
        ) : (
          <p>
            {rich(
              'You cannot restore its code, logs and secrets. <strong>Its database is deleted too</strong>, because no other function uses it. Export it first if you may need it.',
              { strong: (text) => <strong>{text}</strong> },
            )}
          </p>
        )
      }
    </Show>
  );
}
