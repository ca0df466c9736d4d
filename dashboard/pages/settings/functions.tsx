import { useState } from 'preact/hooks';
import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { MAX_PAGE_FUNCTIONS } from '../../../contract/rules/limits.ts';
import { call } from '../../api.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, Section, Select, say, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply } from './apply.ts';

/** The functions that belong to the page. Its owner adds others; admins of the team only remove. */
export function FunctionsSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const [isSaving, setSaving] = useState(false);
  const isOwner = page.role === 'owner';
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
              {isOwner ? <Link href={`/functions/${slug}`}>{slug}</Link> : <span>{slug}</span>}
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
      {isOwner && page.functions.length < MAX_PAGE_FUNCTIONS && (
        <AddFunction page={page} isSaving={isSaving} onAdd={(slug) => change([...page.functions, slug])} />
      )}
    </Section>
  );
}

interface AddProps {
  page: PageDetail;
  isSaving: boolean;
  onAdd: (slug: string) => void;
}

function AddFunction({ page, isSaving, onAdd }: AddProps) {
  const [chosen, setChosen] = useState('');
  const loaded = useLoad(
    async (signal) => {
      const query = { mine: 'true', limit: 500 } as const;
      const { functions } = await call(functionEndpoints.listFunctions, { query, signal });
      return functions.filter((each) => !each.page).map(({ slug }) => slug);
    },
    [page.id, page.functions.length],
  );
  const free = (loaded.value ?? []).filter((slug) => !page.functions.includes(slug));
  const slug = free.includes(chosen) ? chosen : (free[0] ?? '');
  if (free.length === 0) {
    if (!loaded.value) return null;
    return <p class="hint">{t('All your other functions belong to other pages, or you have none.')}</p>;
  }
  return (
    <div class="page-functions-add">
      <Select
        label={t('Function')}
        value={slug}
        options={free.map((each) => [each, each] as const)}
        onChange={setChosen}
      />
      <Button kind="quiet" disabled={isSaving} onClick={() => onAdd(slug)}>
        {t('Add')}
      </Button>
    </div>
  );
}
