import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api.ts';
import type { Editor } from '../../../editor/index.tsx';
import { useLeavingGuard } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { say } from '../../../ui/index.ts';
import { type CollectionSchema, type CollectionTarget, isObject, putSchema } from '../api.ts';
import { faultsAt, parseJson } from '../json-text.ts';
import { EMPTY_SCHEMA, namesAtFault, type SchemaDraft, toDraft, toSchema } from './draft.ts';
import type { SuggestedSchema } from './suggest.tsx';

export interface SchemaProps {
  target: CollectionTarget;
  saved: CollectionSchema | null;
  onSaved: (schema: CollectionSchema | null) => void;
}

const toText = (schema: unknown) => JSON.stringify(schema, null, 2);

/** The schema while it is edited as a form and as JSON. */
export function useSchema({ target, saved, onSaved }: SchemaProps) {
  const views = useViews(saved);
  const { text, draft } = views;
  const [before, setBefore] = useState(text);
  const [failure, setFailure] = useState<Error>();
  const [saves, setSaves] = useState(0);
  const [isTried, setTried] = useState(false);
  const isChanged = useLeavingGuard(text !== before);
  const { suggestion, ...suggesting } = useSuggestion(views);
  const { value: schema, fault } = parseJson(text);
  const names = draft ? namesAtFault(draft) : new Map<number, string>();

  const save = async () => {
    setFailure(undefined);
    setTried(true);
    if (names.size > 0) return setFailure(new Error(t('Name every field, each with a name of its own.')));
    if (fault) {
      setFailure(new Error(t('This is not valid JSON: {message}.', { message: fault.message })));
      return views.editor.current?.showFaults([fault]);
    }
    try {
      const response = await putSchema(target, schema);
      views.editor.current?.showFaults([]);
      setBefore(text);
      suggesting.keep();
      setSaves((count) => count + 1);
      say(t('Schema saved. Fields apply to records that are written from now on, rules to all of them.'));
      onSaved(response.schema);
    } catch (error) {
      setFailure(error as Error);
      if (error instanceof ApiError)
        views.editor.current?.showFaults(faultsAt(text, error.details, 'schema'));
    }
  };
  const markDeleted = () => {
    isChanged.current = false;
    onSaved(null);
  };
  const parsed = fault ? undefined : (schema as CollectionSchema);
  const state = { before, draft, failure, saves, names, isTried, suggestion, schema: parsed };
  const { changeForm, changeText, attach } = views;
  const { suggest, discard: discardSuggestion } = suggesting;
  return { ...state, save, markDeleted, suggest, discardSuggestion, changeForm, changeText, attach };
}

export type SchemaEditing = ReturnType<typeof useSchema>;

/** The form and the text of a schema. Each follows the other. */
function useViews(saved: CollectionSchema | null) {
  const [text, setText] = useState(() => toText(saved ?? EMPTY_SCHEMA));
  const [draft, setDraft] = useState(() => toDraft(saved ?? EMPTY_SCHEMA));
  const editor = useRef<Editor>(undefined);
  /** The text that the form produced. It must not change the form again. */
  const fromForm = useRef<string>(undefined);
  const write = (next: string) => {
    fromForm.current = next;
    setText(next);
    editor.current?.setText(next);
  };
  const attach = (ready: Editor) => {
    editor.current = ready;
  };
  return {
    ...{ text, draft, editor, attach },
    changeForm(changed: SchemaDraft) {
      setDraft(changed);
      write(toText(toSchema(changed)));
    },
    changeText(typed: string) {
      if (typed === fromForm.current) return;
      fromForm.current = undefined;
      setText(typed);
      setDraft(toDraft(parseJson(typed).value));
    },
    /** Shows another schema in both. */
    put(next: unknown) {
      setDraft(toDraft(next));
      write(toText(next));
    },
  };
}

/** A suggestion is shown for review, and can be discarded until it is saved. */
function useSuggestion({ text, put }: Pick<ReturnType<typeof useViews>, 'text' | 'put'>) {
  const [suggestion, setSuggestion] = useState<SuggestedSchema & { textBefore: string }>();
  return {
    suggestion,
    /** Rules and strictness stay as they are. */
    suggest(suggested: SuggestedSchema) {
      const { value: schema } = parseJson(text);
      setSuggestion({ ...suggested, textBefore: suggestion?.textBefore ?? text });
      put({ ...(isObject(schema) ? schema : {}), ...suggested.schema });
    },
    discard() {
      if (suggestion) put(parseJson(suggestion.textBefore).value ?? EMPTY_SCHEMA);
      setSuggestion(undefined);
    },
    keep: () => setSuggestion(undefined),
  };
}
