import { useState } from 'preact/hooks';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import type { AgentFunction } from '../../../contract/pages/page-functions.ts';
import { findJsonFault } from '../../../contract/rules/json/json-fault.ts';
import { MAX_AGENT_FUNCTION_DESCRIPTION, MAX_AGENT_FUNCTIONS } from '../../../contract/rules/limits.ts';
import { ApiError, call } from '../../api.ts';
import { useLeavingGuard } from '../../router.tsx';
import { t, translated } from '../../texts/index.ts';
import {
  Button,
  Copyable,
  Form,
  Section,
  Select,
  Show,
  Skeleton,
  say,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { type PageDetail, patchPage } from '../api.ts';

/** A function in the form. Its schema is text until it is saved. */
interface Draft {
  slug: string;
  description: string;
  schema: string;
}

const EMPTY_SCHEMA = '{\n  "type": "object",\n  "properties": {}\n}';

const toDraft = ({ slug, description, inputSchema }: AgentFunction): Draft => ({
  slug,
  description,
  schema: JSON.stringify(inputSchema, null, 2),
});

interface Props {
  page: PageDetail;
  onChange: (page: PageDetail) => void;
}

/** The functions that the page's MCP server offers to agents. */
export function AgentFunctionsSection({ page, onChange }: Props) {
  const loaded = useLoad(
    async (signal) => {
      const query = { mine: 'true', limit: 100 } as const;
      const { functions } = await call(functionEndpoints.listFunctions, { query, signal });
      return functions.filter(({ isPublic }) => isPublic).map(({ slug }) => slug);
    },
    [page.id],
  );
  return (
    <Section
      title={t('Functions for agents')}
      hint={t(
        'This page is an MCP server. Agents that connect to it can use its data and features as a visitor, and call these functions.',
      )}
    >
      <div class="spec-address">
        <span>{t('MCP server')}</span>
        <Copyable text={`${location.origin}/p/${page.slug}/mcp`} label={t('address of the MCP server')} />
      </div>
      <Show loaded={loaded} skeleton={<Skeleton lines={4} />}>
        {(slugs) => <FunctionsForm page={page} slugs={slugs} onChange={onChange} />}
      </Show>
    </Section>
  );
}

function FunctionsForm({ page, slugs, onChange }: Props & { slugs: string[] }) {
  const before = page.agent_functions.map(toDraft);
  const [drafts, setDrafts] = useState(before);
  const [refused, setRefused] = useState<string[]>([]);
  const isChanged = JSON.stringify(drafts) !== JSON.stringify(before);
  useLeavingGuard(isChanged);
  const faults = drafts.map(({ schema }) => schemaFault(schema));
  const free = slugs.filter((slug) => !drafts.some((draft) => draft.slug === slug));

  const change = (at: number, changed: Partial<Draft>) =>
    setDrafts(drafts.map((draft, index) => (index === at ? { ...draft, ...changed } : draft)));
  const save = async () => {
    setRefused([]);
    const agent_functions = drafts.map(({ slug, description, schema }) => ({
      slug,
      description,
      inputSchema: JSON.parse(schema) as Record<string, unknown>,
    }));
    try {
      const { saved } = await patchPage(page.id, { agent_functions });
      say(t('Functions for agents saved.'));
      setDrafts(saved.agent_functions.map(toDraft));
      onChange({ ...page, ...saved });
    } catch (error) {
      if (!(error instanceof ApiError) || error.details.length === 0) throw error;
      setRefused(error.details.map(({ path, message }) => `${describeFaultPath(path, drafts)} ${message}.`));
    }
  };

  return (
    <Form submit={t('Save functions')} onSubmit={save} disabled={!isChanged || faults.some(Boolean)}>
      {drafts.map((draft, at) => (
        <FunctionFields
          key={draft.slug}
          draft={draft}
          fault={faults[at]}
          onChange={(changed) => change(at, changed)}
          onRemove={() => setDrafts(drafts.filter((_, index) => index !== at))}
        />
      ))}
      {drafts.length === 0 && (
        <p class="hint">{t('No functions yet. Agents can still use the page’s data.')}</p>
      )}
      {refused.length > 0 && (
        <div class="notice bad" role="alert">
          {refused.map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      <AddFunction
        free={drafts.length < MAX_AGENT_FUNCTIONS ? free : []}
        hasSome={slugs.length > 0}
        onAdd={(slug) => setDrafts([...drafts, { slug, description: '', schema: EMPTY_SCHEMA }])}
      />
    </Form>
  );
}

interface FieldsProps {
  draft: Draft;
  fault: string | undefined;
  onChange: (changed: Partial<Draft>) => void;
  onRemove: () => void;
}

function FunctionFields({ draft, fault, onChange, onRemove }: FieldsProps) {
  const { slug, description, schema } = draft;
  return (
    <fieldset class="agent-function">
      <legend>
        <code>{slug}</code>
      </legend>
      <TextField
        label={t('Description')}
        value={description}
        onInput={(text) => onChange({ description: text })}
        rows={2}
        maxLength={MAX_AGENT_FUNCTION_DESCRIPTION}
        hint={t('Tells agents what the function does, and when to call it.')}
        required
      />
      <TextField
        label={t('Input as JSON Schema')}
        value={schema}
        onInput={(text) => onChange({ schema: text })}
        rows={6}
        mono
        error={fault}
        hint={t('What agents send. The function has to check it: anyone can call it with anything.')}
      />
      <Button kind="quiet" onClick={onRemove} label={t('Remove {name}', { name: slug })}>
        {t('Remove')}
      </Button>
    </fieldset>
  );
}

interface AddProps {
  free: string[];
  hasSome: boolean;
  onAdd: (slug: string) => void;
}

function AddFunction({ free, hasSome, onAdd }: AddProps) {
  const [chosen, setChosen] = useState('');
  const slug = free.includes(chosen) ? chosen : (free[0] ?? '');
  if (free.length === 0) {
    const why = hasSome
      ? t('There are no more functions to add: only public functions can be in the list.')
      : t('You have no public functions to add.');
    return <p class="hint">{why}</p>;
  }
  return (
    <div class="agent-function-add">
      <Select
        label={t('Function')}
        value={slug}
        options={free.map((each) => [each, each] as const)}
        onChange={setChosen}
      />
      <Button kind="quiet" onClick={() => onAdd(slug)}>
        {t('Add')}
      </Button>
    </div>
  );
}

/** What is wrong with the text of a schema. The server checks the rest. */
function schemaFault(text: string): string | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
    return isObject ? undefined : t('This is not a schema, which is a JSON object.');
  } catch (error) {
    const found = findJsonFault(text);
    const message = found ? translated(found.text) : (error as Error).message;
    return t('This is not JSON: {message}.', { message });
  }
}

/** The function that a fault is about. The path is `agent_functions.0.slug`. */
function describeFaultPath(path: string, drafts: Draft[]): string {
  const [, at, field = ''] = path.split('.');
  const draft = drafts[Number(at)];
  return draft ? `${draft.slug}: ${field}`.trim() : t('The list');
}
