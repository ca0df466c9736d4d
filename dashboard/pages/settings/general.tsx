import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Form, Section, TextField } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply } from './index.tsx';

const MAX_DESCRIPTION = 500;

type Faults = Partial<Record<'name' | 'slug' | 'description', string>>;

/** What the page is called, where it is, and what it is about. */
export function GeneralSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const [name, setName] = useState(page.name);
  const [slug, setSlug] = useState(page.slug);
  const [description, setDescription] = useState(page.description);
  const [faults, setFaults] = useState<Faults>({});
  const hasNewSlug = formatted(slug) !== page.slug;
  const isChanged = name !== page.name || hasNewSlug || description !== page.description;

  const save = async () => {
    setFaults({});
    try {
      const changed = await apply({ name: name.trim(), description, ...(hasNewSlug && { slug }) });
      setName(changed.name);
      setSlug(changed.slug);
    } catch (error) {
      const found = faultsOf(error);
      if (!found) throw error;
      setFaults(found);
    }
  };

  return (
    <Section title="General">
      <Form submit="Save" onSubmit={save} disabled={!isChanged}>
        <TextField label="Name" value={name} onInput={setName} maxLength={200} error={faults.name} required />
        <TextField
          label="Slug"
          value={slug}
          onInput={setSlug}
          mono
          error={faults.slug}
          required
          hint={
            <>
              The page {hasNewSlug ? 'will be' : 'is'} at {location.origin}/p/
              <strong>{formatted(slug)}</strong>.
              {hasNewSlug && ` The old address /p/${page.slug} leads there.`}
            </>
          }
        />
        <TextField
          label="Description"
          value={description}
          onInput={setDescription}
          rows={3}
          error={faults.description}
          hint={`Shown by search engines and links. ${description.length} of ${MAX_DESCRIPTION} characters.`}
        />
      </Form>
    </Section>
  );
}

/** About as the service will write it. */
function formatted(slug: string): string {
  return slug
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9\s-]/g, '')
    .trim()
    .replace(/[\s-]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** What the service has against single fields, in its own words. */
function faultsOf(error: unknown): Faults | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'INVALID_SLUG' || error.code === 'SLUG_TAKEN') return { slug: error.message };
  const faults = Object.fromEntries(error.details.map(({ path, message }) => [path, `This ${message}.`]));
  return Object.keys(faults).length > 0 ? faults : undefined;
}
