import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { navigate, search, useLeavingGuard } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Ask, Form, ScreenHead, Section, Select, say } from '../ui/index.ts';
import { createFunction } from './api.ts';
import { Fields, type FieldValues, SHARED } from './create-fields.tsx';
import { readFault } from './fault.ts';
import { fromSources, isSame, ModuleDialog, ModuleEditor, Modules, toSources } from './modules/index.tsx';
import { slugFault } from './names.ts';
import { findTemplate, TEMPLATES, type Template } from './templates.ts';

/** Creates a function. If the service refuses it, everything that was typed stays. */
export function CreateScreen({ template: first }: { template: string }) {
  const form = useRef<HTMLDivElement>(null);
  const draft = useNewFunction(first, () => form.current?.querySelector('input')?.focus());
  /** The template that would replace code that was typed. */
  const [wanted, setWanted] = useState<Template>();
  return (
    <>
      <ScreenHead title={t('New function')} back={{ href: '/functions', label: t('Functions') }} />
      <div class="fn-create" ref={form}>
        <Form submit={t('Deploy')} onSubmit={draft.deploy}>
          <Fields {...draft} />
          <Section
            title={t('Code')}
            hint={draft.template.about}
            actions={
              <Select
                label={t('Start from')}
                value={draft.template.name}
                onChange={(name) => (draft.hasOwnCode ? setWanted : draft.applyTemplate)(findTemplate(name))}
                options={TEMPLATES.map(({ name, title }): [string, string] => [name, title])}
              />
            }
          >
            <ModuleEditor
              modules={draft.modules}
              isUnsaved={() => false}
              onSave={() => form.current?.querySelector('form')?.requestSubmit()}
            />
          </Section>
        </Form>
      </div>
      <ModuleDialog modules={draft.modules} />
      {wanted && (
        <Ask
          title={t('Replace your code?')}
          submit={t('Replace')}
          onConfirm={() => draft.applyTemplate(wanted)}
          onClose={() => setWanted(undefined)}
        >
          {t('The template “{title}” replaces the code in the editor.', { title: wanted.title })}
        </Ask>
      )}
    </>
  );
}

/** The function that is being created. `focusSlug` brings the slug field back into view. */
function useNewFunction(templateName: string, focusSlug: () => void) {
  const [template, setTemplate] = useState(() => findTemplate(templateName));
  const [values, setValues] = useState(() => emptyValues(template));
  const [modules] = useState(() => new Modules(readSources(template)));
  // The branch that it is made for.
  const [pageId] = useState(() => Number(new URLSearchParams(search.value).get('page')) || undefined);
  const [failure, setFailure] = useState<unknown>();
  const [isTried, setTried] = useState(false);
  const [taken, setTaken] = useState<{ slug: string; message: string }>();
  const hasOwnCode = !isSame(modules.sources.value, readSources(template));
  const { slug, displayName, database } = values;
  const isUnsaved = useLeavingGuard(slug !== '' || displayName !== '' || hasOwnCode);
  const change = (some: Partial<FieldValues>) => setValues((before) => ({ ...before, ...some }));

  const applyTemplate = (chosen: Template) => {
    setTemplate(chosen);
    modules.replace(readSources(chosen));
    if (chosen.needsDatabase && database === 'none') change({ database: 'new' });
  };

  const deploy = async () => {
    setFailure(undefined);
    setTried(true);
    if (slug === '' || slugFault(slug)) return focusSlug();
    modules.clearFault();
    try {
      await createFunction({ ...toRequest(values), ...fromSources(modules.sources.value), pageId });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SLUG_TAKEN') {
        setTaken({ slug, message: error.message });
        return focusSlug();
      }
      setFailure(error);
      const mistake = readFault(error);
      if (mistake) modules.showFault(mistake);
      throw error;
    }
    isUnsaved.current = false;
    say(t('Deployed {slug}.', { slug }));
    navigate(`/functions/${slug}`);
  };

  const missing = isTried && slug === '' ? t('Enter a slug. It becomes part of the URL.') : undefined;
  return {
    values,
    change,
    failure,
    slugError: slugFault(slug) ?? missing ?? (taken?.slug === slug ? taken.message : undefined),
    template,
    applyTemplate,
    modules,
    hasOwnCode,
    deploy,
  };
}

const emptyValues = ({ needsDatabase }: Template): FieldValues => ({
  slug: '',
  displayName: '',
  database: needsDatabase ? 'new' : 'none',
  isPublic: true,
});

const readSources = ({ code, files = {} }: Template) => toSources({ code, files });

const toRequest = ({ slug, displayName, isPublic, database }: FieldValues) => ({
  slug,
  displayName: displayName.trim(),
  isPublic,
  ...(database === 'new' && { enableDatabase: true }),
  ...(database.startsWith(SHARED) && { useDatabase: database.slice(SHARED.length) }),
});
