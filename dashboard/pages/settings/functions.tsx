import { useState } from 'preact/hooks';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import type { FunctionSummary } from '../../../contract/functions/functions.ts';
import { MAX_PAGE_FUNCTIONS } from '../../../contract/rules/limits.ts';
import { call } from '../../api.ts';
import { Link } from '../../router.tsx';
import { rich, t } from '../../texts/index.ts';
import { Button, Section, Select, say, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply } from './apply.ts';

/** The functions that belong to the page. Its owner adds others; admins of the team only remove. */
export function FunctionsSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const [isSaving, setSaving] = useState(false);
  const isOwner = page.role === 'owner';
  const own = useLoad(
    async (signal) => {
      if (!isOwner) return [];
      const query = { mine: 'true', limit: 500 } as const;
      return (await call(functionEndpoints.listFunctions, { query, signal })).functions;
    },
    [page.id, page.functions.length, isOwner],
  ).value;
  const change = async (functions: string[]) => {
    setSaving(true);
    await apply({ functions }).catch((error: Error) => say(error.message, 'bad'));
    setSaving(false);
  };
  return (
    <Section
      id="functions"
      title={t('Functions')}
      hint={t(
        'They belong to this page and can use its data, messages and team. Publishing adds those that the page calls and that belong to no page.',
      )}
    >
      {page.functions.length === 0 ? (
        <p class="hint">{t('No function belongs to this page.')}</p>
      ) : (
        <ul class="page-functions" aria-label={t('Functions of this page')}>
          {page.functions.map((slug) => (
            <li key={slug}>
              <FunctionName slug={slug} known={own?.find((each) => each.slug === slug)} />
              <Button
                kind="bare"
                label={t('Remove {name}', { name: slug })}
                disabled={isSaving}
                onClick={() => change(page.functions.filter((each) => each !== slug))}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isOwner && page.branch && (
        <p class="hint">
          {rich('A branch has functions of its own. <a>Create one</a>.', {
            a: (text) => <Link href={`/functions/_new?page=${page.id}`}>{text}</Link>,
          })}
        </p>
      )}
      {isOwner && !page.branch && page.functions.length < MAX_PAGE_FUNCTIONS && (
        <AddFunction
          functions={own?.filter((each) => !each.page && !page.functions.includes(each.slug))}
          isSaving={isSaving}
          onAdd={(slug) => change([...page.functions, slug])}
        />
      )}
    </Section>
  );
}

/** Only its owner can open a function, and knows its name. */
function FunctionName({ slug, known }: { slug: string; known: FunctionSummary | undefined }) {
  if (!known) return <code>{slug}</code>;
  return (
    <span>
      <Link href={`/functions/${slug}`}>{known.displayName || slug}</Link>{' '}
      {known.displayName && <code class="faint">{slug}</code>}
    </span>
  );
}

interface AddProps {
  /** Those that belong to no page; undefined until they are known. */
  functions: FunctionSummary[] | undefined;
  isSaving: boolean;
  onAdd: (slug: string) => void;
}

function AddFunction({ functions, isSaving, onAdd }: AddProps) {
  const [chosen, setChosen] = useState('');
  if (!functions) return null;
  const slug = functions.find((each) => each.slug === chosen)?.slug ?? functions[0]?.slug;
  if (slug === undefined)
    return (
      <p class="hint">
        {rich('You have no function that is free. <a>Create one</a>.', {
          a: (text) => <Link href="/functions/_new">{text}</Link>,
        })}
      </p>
    );
  return (
    <div class="page-functions-add">
      <Select
        label={t('Function')}
        value={slug}
        options={functions.map((each) => [each.slug, each.displayName || each.slug] as const)}
        onChange={setChosen}
      />
      <Button kind="quiet" disabled={isSaving} onClick={() => onAdd(slug)}>
        {t('Add')}
      </Button>
    </div>
  );
}
