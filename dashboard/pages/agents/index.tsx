import { useRef, useState } from 'preact/hooks';
import type { AgentSpec } from '../../../contract/agents/agent-spec.ts';
import { specEndpoints } from '../../../contract/agents/spec-endpoints.ts';
import { buildPath } from '../../../contract/call.ts';
import { MAX_SPEC_CHARACTERS } from '../../../contract/rules/limits.ts';
import { characterCount } from '../../../contract/rules/text.ts';
import { call } from '../../api.ts';
import { CodeEditor, type Editor } from '../../editor/index.tsx';
import { useLeavingGuard } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import {
  Button,
  ConfirmByTyping,
  Copyable,
  Failure,
  formatMoment,
  Section,
  Show,
  Skeleton,
  say,
  useLoad,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { AgentFunctionsSection } from './functions.tsx';

const saveSpec = (id: number, spec: string) =>
  call(specEndpoints.setAgentSpec, { params: { id }, body: { spec } });

interface ScreenProps {
  page: PageDetail;
  onChange: (page: PageDetail) => void;
}

/** What AI agents that use the page get: instructions, and functions. */
export function AgentSpecScreen({ page, onChange }: ScreenProps) {
  const { id, slug } = page;
  const loaded = useLoad((signal) => call(specEndpoints.getAgentSpec, { params: { id }, signal }), [id]);
  const [deletions, setDeletions] = useState(0);
  const url = location.origin + buildPath(specEndpoints.getAgentSpec, { params: { id: slug } });
  return (
    <>
      <Section
        title={t('Agent spec')}
        hint={t('Tells AI agents what this page is for and how to use it and its data. Anyone can read it.')}
      >
        <div class="spec-address">
          <span>{t('Public URL')}</span>
          <Copyable text={url} label={t('URL')} />
        </div>
        <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
          {(saved) => (
            <SpecEditor
              key={deletions}
              page={page}
              saved={saved}
              onSaved={(now) => {
                loaded.set(now);
                if (now.spec === null) setDeletions(deletions + 1);
              }}
            />
          )}
        </Show>
      </Section>
      <AgentFunctionsSection page={page} onChange={onChange} />
      {loaded.value && <Generated spec={loaded.value} />}
    </>
  );
}

interface EditorProps {
  page: PageDetail;
  saved: AgentSpec;
  onSaved: (spec: AgentSpec) => void;
}

function SpecEditor({ page, saved, onSaved }: EditorProps) {
  const before = saved.spec ?? '';
  const [text, setText] = useState(before);
  const [failure, setFailure] = useState<Error>();
  const [isDeleting, setDeleting] = useState(false);
  const editor = useRef<Editor>(undefined);
  const isChanged = useLeavingGuard(text !== before);

  const isTooLong = characterCount(text) > MAX_SPEC_CHARACTERS;
  const save = async () => {
    setFailure(undefined);
    try {
      const { updatedAt } = await saveSpec(page.id, text);
      isChanged.current = false;
      say(t('Agent spec saved.'));
      onSaved({ ...saved, spec: text, updatedAt });
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <div class="spec">
      <CodeEditor
        text={before}
        language="markdown"
        label={t('Agent spec')}
        onChange={setText}
        onSave={save}
        onReady={(ready) => {
          editor.current = ready;
        }}
      />
      {failure && <Failure error={failure} />}
      <div class="actions">
        <Button onClick={save} disabled={!isChanged.current || isTooLong || text === ''}>
          {t('Save')}
        </Button>
        {text === '' && <TemplateButton onClick={() => editor.current?.setText(template(page))} />}
        {saved.spec !== null && (
          <Button kind="danger" onClick={() => setDeleting(true)}>
            {t('Delete')}
          </Button>
        )}
        <CharacterCount count={characterCount(text)} />
      </div>
      <p class="hint">{describeState(saved, isChanged.current)}</p>
      {isDeleting && (
        <DeleteDialog
          page={page}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            isChanged.current = false;
            onSaved({ ...saved, spec: null, updatedAt: null });
          }}
        />
      )}
    </div>
  );
}

const TemplateButton = ({ onClick }: { onClick: () => void }) => (
  <Button kind="quiet" onClick={onClick}>
    {t('Start from a template')}
  </Button>
);

const describeState = ({ updatedAt }: AgentSpec, isChanged: boolean) =>
  [
    updatedAt ? t('Saved {moment}.', { moment: formatMoment(updatedAt) }) : t('Not saved yet.'),
    isChanged && t('You have unsaved changes.'),
  ]
    .filter(Boolean)
    .join(' ');

interface DeleteProps {
  page: PageDetail;
  onClose: () => void;
  onDeleted: () => void;
}

function DeleteDialog({ page, onClose, onDeleted }: DeleteProps) {
  return (
    <ConfirmByTyping
      title={t('Delete the agent spec?')}
      phrase={page.slug}
      submit={t('Delete permanently')}
      onClose={onClose}
      onConfirm={async () => {
        await call(specEndpoints.deleteAgentSpec, { params: { id: page.id } });
        say(t('Agent spec deleted.'));
        onDeleted();
      }}
    >
      <p>{t('Agents then get only the storage mode and the schemas. You cannot restore the text.')}</p>
    </ConfirmByTyping>
  );
}

function CharacterCount({ count }: { count: number }) {
  const max = MAX_SPEC_CHARACTERS;
  const isTooLong = count > max;
  return (
    <span class={`spec-count ${isTooLong ? 'fault' : 'faint'}`} role={isTooLong ? 'alert' : undefined}>
      {isTooLong
        ? t('{count} of {max} characters: {over} too many', { count, max, over: count - max })
        : t('{count} of {max} characters', { count, max })}
    </span>
  );
}

/** What the service adds to the spec. */
function Generated({ spec: { storageMode, schemas } }: { spec: AgentSpec }) {
  return (
    <Section
      title={t('Added automatically')}
      hint={t('Agents also get the storage mode and the schemas of the page.')}
    >
      <dl class="spec-besides">
        <dt>{t('Storage mode')}</dt>
        <dd>{storageMode ? <code>{storageMode}</code> : t('None: this page stores no data.')}</dd>
        <dt>{t('Schemas')}</dt>
        <dd>
          {schemas.length === 0 && t('None yet. You can add schemas in the Data tab.')}
          {schemas.map(({ collection, storageType, schema }) => (
            <details key={`${storageType} ${collection}`}>
              <summary>
                <code>{collection}</code> <span class="faint">{storageType}</span>
              </summary>
              <pre>{JSON.stringify(schema, null, 2)}</pre>
            </details>
          ))}
        </dd>
      </dl>
    </Section>
  );
}

const template = ({ name }: PageDetail) =>
  [
    `# ${name}`,
    '',
    t('What this page is for, and who uses it.'),
    '',
    `## ${t('What agents can do')}`,
    '',
    `- ${t('What an agent can read, add or change, and for whom.')}`,
    `- ${t('When it must ask a person first.')}`,
    '',
    `## ${t('Data')}`,
    '',
    t('For each collection: what a record is, what its fields mean, an example.'),
    '',
    `## ${t('Rules')}`,
    '',
    `- ${t('What must never happen.')}`,
    `- ${t('Who to ask when something is unclear.')}`,
    '',
  ].join('\n');
