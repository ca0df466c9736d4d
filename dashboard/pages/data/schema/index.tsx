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

/** What the records of a collection must look like. */
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
  const [before, setBefore] = useState(() => toText(saved ?? EMPTY_SCHEMA));
  const [text, setText] = useState(before);
  const [draft, setDraft] = useState(() => draftOf(saved ?? EMPTY_SCHEMA));
  const [failure, setFailure] = useState<Error>();
  const [saves, setSaves] = useState(0);
  const [isDeleting, setDeleting] = useState(false);
  const editor = useRef<Editor>(undefined);
  /** The text that came from the form: no reason to build the form anew. */
  const fromForm = useRef<string>(undefined);
  const isChanged = useLeavingGuard(text !== before);

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
  const names = draft ? namesAtFault(draft) : new Map<number, string>();
  const { value: schema, fault } = parseJson(text);

  const save = async () => {
    setFailure(undefined);
    if (fault) {
      setFailure(new Error(`This is no JSON yet: ${fault.message}.`));
      return editor.current?.showFaults([fault]);
    }
    try {
      const answer = await putSchema(place, schema);
      editor.current?.showFaults([]);
      setBefore(text);
      setSaves((count) => count + 1);
      say('Schema saved. It holds for what is written from now on.');
      onSaved(answer.schema);
    } catch (error) {
      setFailure(error as Error);
      if (error instanceof ApiError) editor.current?.showFaults(faultsAt(text, error.details, 'schema'));
    }
  };
  const details = failure instanceof ApiError ? failure.details : [];
  return (
    <Section
      title={`Schema of ${place.collection}`}
      hint={
        <>
          <Link href={screenOf(place, place.collection)}>Records</Link> · with a schema, records that do not
          fit it are refused. Only the owner may change it.
        </>
      }
      actions={
        <>
          {saved && (
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete schema
            </Button>
          )}
          <Button onClick={save} disabled={names.size > 0}>
            Save schema
          </Button>
        </>
      }
    >
      {failure && <Failure error={failure} />}
      <div class="schema-halves">
        {draft ? (
          <SchemaForm draft={draft} names={names} details={details} onChange={changeForm} />
        ) : (
          <p class="notice warn">
            The form can show this again once the JSON has <code>fields</code> with a known <code>type</code>{' '}
            each.
          </p>
        )}
        <CodeEditor
          text={before}
          language="json"
          label="Schema as JSON"
          onChange={changeText}
          onSave={save}
          onReady={(ready) => {
            editor.current = ready;
          }}
        />
      </div>
      <FitCheck
        place={place}
        saves={saves}
        schema={fault || !draft ? undefined : (schema as CollectionSchema)}
      />
      {isDeleting && (
        <ConfirmByTyping
          title="Delete this schema?"
          phrase={place.collection}
          submit="Delete schema"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await deleteSchema(place);
            isChanged.current = false;
            say('Schema deleted.');
            onSaved(null);
          }}
        >
          <p>The records stay; from then on they may look like anything.</p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}
