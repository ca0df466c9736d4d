import { useState } from 'preact/hooks';
import { MAX_SAVED_QUERY_NAME } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { Ask, Button, Dialog, Failure, Form, IconButton, say, TextField, useLoad } from '../../ui/index.ts';
import {
  addSavedQuery,
  changeSavedQuery,
  deleteSavedQuery,
  listSavedQueries,
  type SavedQuery,
} from '../api.ts';

interface Props {
  slug: string;
  /** The text of the console. */
  text: string;
  onPick: (sql: string) => void;
}

/** The queries that are saved with the database. */
export function SavedQueries({ slug, text, onPick }: Props) {
  const loaded = useLoad((signal) => listSavedQueries(slug, signal), [slug]);
  const [isSaving, setSaving] = useState(false);
  const [deleting, setDeleting] = useState<SavedQuery>();
  const queries = loaded.value ?? [];
  const remove = async ({ id, name }: SavedQuery) => {
    try {
      await deleteSavedQuery(slug, id);
      say(t('Deleted the query {name}.', { name }));
    } catch (error) {
      say((error as Error).message, 'bad');
    }
    await loaded.reload();
  };
  return (
    <section class="fn-saved" aria-label={t('Saved queries')}>
      <div class="fn-bar">
        <h3>{t('Saved queries')}</h3>
        <Button kind="quiet" class="small" disabled={text.trim() === ''} onClick={() => setSaving(true)}>
          {t('Save query')}
        </Button>
      </div>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {queries.length === 0 && !loaded.error && (
        <p class="hint">
          {t('Save what you run again. Functions that share this database share its queries.')}
        </p>
      )}
      <ul>
        {queries.map((query) => (
          <li key={query.id}>
            <button type="button" title={query.sql.slice(0, 500)} onClick={() => onPick(query.sql)}>
              {query.name}
            </button>
            <IconButton
              icon="trash"
              label={t('Delete the query {name}', { name: query.name })}
              onClick={() => setDeleting(query)}
            />
          </li>
        ))}
      </ul>
      {isSaving && (
        <SaveDialog {...{ slug, text, queries }} onClose={() => setSaving(false)} onSaved={loaded.reload} />
      )}
      {deleting && (
        <Ask
          title={t('Delete the query {name}?', { name: deleting.name })}
          submit={t('Delete')}
          onConfirm={() => void remove(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          {t('The database and its rows stay.')}
        </Ask>
      )}
    </section>
  );
}

interface SaveProps {
  slug: string;
  text: string;
  queries: SavedQuery[];
  onClose: () => void;
  onSaved: () => Promise<void>;
}

function SaveDialog({ slug, text, queries, onClose, onSaved }: SaveProps) {
  const [name, setName] = useState(() => queries.find(({ sql }) => sql === text)?.name ?? '');
  const old = queries.find((query) => query.name === name.trim());
  const save = async () => {
    if (old) await changeSavedQuery(slug, old.id, { sql: text });
    else await addSavedQuery(slug, { name, sql: text });
    say(t('Query saved.'));
    onClose();
    await onSaved();
  };
  return (
    <Dialog title={t('Save this query')} onClose={onClose}>
      <Form
        submit={old ? t('Replace') : t('Save')}
        disabled={name.trim() === ''}
        onSubmit={save}
        onCancel={onClose}
      >
        <TextField
          label={t('Name')}
          value={name}
          onInput={setName}
          maxLength={MAX_SAVED_QUERY_NAME}
          autofocus
          {...(old && { hint: t('A query with this name exists. It gets the new text.') })}
        />
      </Form>
    </Dialog>
  );
}
