import { useState } from 'preact/hooks';
import { ApiError } from '../../../api.ts';
import { CodeEditor } from '../../../editor/index.tsx';
import { rich, t } from '../../../texts/index.ts';
import {
  Button,
  ConfirmByTyping,
  Failure,
  Section,
  Show,
  Skeleton,
  say,
  useLoad,
} from '../../../ui/index.ts';
import { type CollectionTarget, deleteSchema, readSchema, toDataScreen } from '../api.ts';
import { FitCheck } from './fit-check.tsx';
import { SchemaForm } from './form.tsx';
import { SuggestButton, SuggestionNotice } from './suggest.tsx';
import { useBuilding } from './use-building.ts';
import { type SchemaEditing, type SchemaProps, useSchema } from './use-schema.ts';

/** The schema of a collection. */
export function SchemaScreen({ target }: { target: CollectionTarget }) {
  const loaded = useLoad(
    (signal) => readSchema(target, signal),
    [target.pageId, target.type, target.collection],
  );
  const [deletions, setDeletions] = useState(0);
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {(schema) => (
        <SchemaEditor
          key={deletions}
          target={target}
          saved={schema}
          onSaved={(now) => {
            loaded.set(now);
            if (now === null) setDeletions(deletions + 1);
          }}
        />
      )}
    </Show>
  );
}

function SchemaEditor({ target, saved, onSaved }: SchemaProps) {
  const editing = useSchema({ target, saved, onSaved });
  const { failure } = editing;
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Section
      title={t('Schema of {collection}', { collection: target.collection })}
      back={{ href: toDataScreen(target, target.collection), label: t('Records') }}
      hint={t('Decide which fields a record has and who may change it. Only the owner can change this.')}
      actions={
        target.canChangeSchemas && (
          <>
            <SuggestButton target={target} onSuggested={editing.suggest} />
            {saved && (
              <Button kind="danger" onClick={() => setDeleting(true)}>
                {t('Delete schema')}
              </Button>
            )}
            <Button onClick={editing.save}>{t('Save schema')}</Button>
          </>
        )
      }
    >
      {failure && <Failure error={failure} />}
      {editing.suggestion && (
        <SuggestionNotice suggestion={editing.suggestion} onDiscard={editing.discardSuggestion} />
      )}
      <Halves
        target={target}
        editing={editing}
        isBuilt={Boolean(saved?.indexes?.length || saved?.search?.length)}
      />
      <FitCheck target={target} saves={editing.saves} schema={editing.draft && editing.schema} />
      {isDeleting && (
        <DeleteDialog target={target} onClose={() => setDeleting(false)} onDeleted={editing.markDeleted} />
      )}
    </Section>
  );
}

interface HalvesProps {
  target: CollectionTarget;
  editing: SchemaEditing;
  /** Whether the saved schema has indexes or a search. */
  isBuilt: boolean;
}

/** The schema as a form and as JSON, side by side. */
function Halves({ target, editing, isBuilt }: HalvesProps) {
  const { draft, failure } = editing;
  const building = useBuilding(target, isBuilt, editing.saves);
  return (
    <div class="schema-halves">
      {draft ? (
        <SchemaForm
          type={target.type}
          draft={draft}
          names={editing.names}
          isTried={editing.isTried}
          details={failure instanceof ApiError ? failure.details : []}
          building={building}
          onChange={editing.changeForm}
        />
      ) : (
        <p class="notice warn">
          {rich(
            'The form cannot show this schema. Each field in <code>fields</code> needs a known <b>type</b>.',
            { code: (text) => <code>{text}</code>, b: (text) => <code>{text}</code> },
          )}
        </p>
      )}
      <CodeEditor
        text={editing.before}
        language="json"
        label={t('Schema as JSON')}
        onChange={editing.changeText}
        onSave={editing.save}
        onReady={editing.attach}
      />
    </div>
  );
}

interface DeleteProps {
  target: CollectionTarget;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteDialog({ target, onClose, onDeleted }: DeleteProps) {
  return (
    <ConfirmByTyping
      title={t('Delete this schema?')}
      phrase={target.collection}
      submit={t('Delete schema')}
      onClose={onClose}
      onConfirm={async () => {
        await deleteSchema(target);
        say(t('Schema deleted.'));
        onDeleted();
      }}
    >
      <p>
        {t(
          'The records stay. From then on, records are not checked, and the storage mode decides who can use them.',
        )}
      </p>
    </ConfirmByTyping>
  );
}
