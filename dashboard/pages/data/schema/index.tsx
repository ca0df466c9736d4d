import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api.ts';
import { CodeEditor, type Editor } from '../../../editor/index.tsx';
import { Link, useLeavingGuard } from '../../../router.tsx';
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
import {
  type CollectionPlace,
  type CollectionSchema,
  deleteSchema,
  putSchema,
  readSchema,
  screenOf,
} from '../api.ts';
import { faultsAt, parseJson } from '../json-text.ts';
import { draftOf, EMPTY_SCHEMA, namesAtFault, type SchemaDraft, schemaOf } from './draft.ts';
import { FitCheck } from './fit-check.tsx';
import { SchemaForm } from './form.tsx';

/** The schema of a collection. */
export function SchemaScreen({ place }: { place: CollectionPlace }) {
  const loaded = useLoad((signal) => readSchema(place, signal), [place.pageId, place.type, place.collection]);
  const [deletions, setDeletions] = useState(0);
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
      {(schema) => (
        <SchemaEditor
          key={deletions}
          place={place}
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

interface EditorProps {
  place: CollectionPlace;
  saved: CollectionSchema | null;
  onSaved: (schema: CollectionSchema | null) => void;
}

const toText = (schema: unknown) => JSON.stringify(schema, null, 2);

function SchemaEditor({ place, saved, onSaved }: EditorProps) {
  const editing = useSchema({ place, saved, onSaved });
  const { draft, failure } = editing;
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Section
      title={`Schema of ${place.collection}`}
      hint={
        <>
          <Link href={screenOf(place, place.collection)}>Records</Link> · Records that do not match the schema
          are refused, and its rules say who can use them. Only the owner can change the schema.
        </>
      }
      actions={
        <>
          {saved && (
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete schema
            </Button>
          )}
          <Button onClick={editing.save} disabled={editing.names.size > 0}>
            Save schema
          </Button>
        </>
      }
    >
      {failure && <Failure error={failure} />}
      <div class="schema-halves">
        {draft ? (
          <SchemaForm
            type={place.type}
            draft={draft}
            names={editing.names}
            details={failure instanceof ApiError ? failure.details : []}
            onChange={editing.changeForm}
          />
        ) : (
          <p class="notice warn">
            The form cannot show this schema. Each field in <code>fields</code> needs a known{' '}
            <code>type</code>.
          </p>
        )}
        <CodeEditor
          text={editing.before}
          language="json"
          label="Schema as JSON"
          onChange={editing.changeText}
          onSave={editing.save}
          onReady={editing.attach}
        />
      </div>
      <FitCheck place={place} saves={editing.saves} schema={draft && editing.schema} />
      {isDeleting && (
        <DeleteDialog place={place} onClose={() => setDeleting(false)} onDeleted={editing.markDeleted} />
      )}
    </Section>
  );
}

/** The schema while it is edited as a form and as JSON. */
function useSchema({ place, saved, onSaved }: EditorProps) {
  const [before, setBefore] = useState(() => toText(saved ?? EMPTY_SCHEMA));
  const [text, setText] = useState(before);
  const [draft, setDraft] = useState(() => draftOf(saved ?? EMPTY_SCHEMA));
  const [failure, setFailure] = useState<Error>();
  const [saves, setSaves] = useState(0);
  const editor = useRef<Editor>(undefined);
  /** The text that the form produced. It must not change the form again. */
  const fromForm = useRef<string>(undefined);
  const isChanged = useLeavingGuard(text !== before);
  const { value: schema, fault } = parseJson(text);

  const changeForm = (changed: SchemaDraft) => {
    setDraft(changed);
    const next = toText(schemaOf(changed));
    fromForm.current = next;
    setText(next);
    editor.current?.setText(next);
  };
  const changeText = (typed: string) => {
    if (typed === fromForm.current) return;
    fromForm.current = undefined;
    setText(typed);
    setDraft(draftOf(parseJson(typed).value));
  };
  const save = async () => {
    setFailure(undefined);
    if (fault) {
      setFailure(new Error(`This is not valid JSON: ${fault.message}.`));
      return editor.current?.showFaults([fault]);
    }
    try {
      const response = await putSchema(place, schema);
      editor.current?.showFaults([]);
      setBefore(text);
      setSaves((count) => count + 1);
      say('Schema saved. Fields apply to records that are written from now on, rules to all of them.');
      onSaved(response.schema);
    } catch (error) {
      setFailure(error as Error);
      if (error instanceof ApiError) editor.current?.showFaults(faultsAt(text, error.details, 'schema'));
    }
  };
  const attach = (ready: Editor) => {
    editor.current = ready;
  };
  const markDeleted = () => {
    isChanged.current = false;
    onSaved(null);
  };
  const names = draft ? namesAtFault(draft) : new Map<number, string>();
  const parsed = fault ? undefined : (schema as CollectionSchema);
  const actions = { changeForm, changeText, save, attach, markDeleted };
  return { before, draft, failure, saves, names, schema: parsed, ...actions };
}

interface DeleteProps {
  place: CollectionPlace;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteDialog({ place, onClose, onDeleted }: DeleteProps) {
  return (
    <ConfirmByTyping
      title="Delete this schema?"
      phrase={place.collection}
      submit="Delete schema"
      onClose={onClose}
      onConfirm={async () => {
        await deleteSchema(place);
        say('Schema deleted.');
        onDeleted();
      }}
    >
      <p>
        The records stay. From then on, records are not checked, and the storage mode decides who can use
        them.
      </p>
    </ConfirmByTyping>
  );
}
