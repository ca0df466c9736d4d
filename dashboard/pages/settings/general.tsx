import { useState } from 'preact/hooks';
import { MAX_PAGE_DESCRIPTION, MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { MAX_SLUG_LENGTH, spelledOut } from '../../../contract/rules/page-slugs.ts';
import { ApiError } from '../../api.ts';
import { Form, Section, TextField } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply } from './apply.ts';

/** Longer names show how many characters are left. */
const NEARLY = 160;

type Faults = Partial<Record<'name' | 'slug' | 'description', string>>;

/** The name, slug and description of the page. */
export function GeneralSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const [name, setName] = useState(page.name);
  const [slug, setSlug] = useState(page.slug);
  const [description, setDescription] = useState(page.description);
  const [faults, setFaults] = useState<Faults>({});
  const address = spelledOut(slug);
  const hasNewSlug = address !== page.slug;
  const found = faultsIn(name, slug);
  const isChanged = name !== page.name || hasNewSlug || description !== page.description;

  const save = async () => {
    setFaults({});
    try {
      const changed = await apply({ name: name.trim(), description, ...(hasNewSlug && { slug }) });
      setName(changed.name);
      setSlug(changed.slug);
    } catch (error) {
      const refused = faultsOf(error);
      if (!refused) throw error;
      setFaults(refused);
    }
  };

  return (
    <Section title="General">
      <Form submit="Save" onSubmit={save} disabled={!isChanged || Object.keys(found).length > 0}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          error={found.name ?? faults.name}
          hint={name.length > NEARLY && `${name.length} of ${MAX_PAGE_NAME} characters.`}
          required
        />
        <TextField
          label="Slug"
          value={slug}
          onInput={setSlug}
          mono
          error={found.slug ?? faults.slug}
          required
          hint={!found.slug && <UrlHint page={page} slug={address} />}
        />
        <TextField
          label="Description"
          value={description}
          onInput={setDescription}
          rows={3}
          error={faults.description}
          hint={`Shown in search results and link previews. ${description.length} of ${MAX_PAGE_DESCRIPTION} characters.`}
        />
      </Form>
    </Section>
  );
}

function UrlHint({ page, slug }: { page: PageDetail; slug: string }) {
  const isNew = slug !== page.slug;
  return (
    <>
      The page {isNew ? 'will be' : 'is'} at {location.origin}/p/<strong>{slug}</strong>.
      {isNew && ` The old URL /p/${page.slug} redirects there.`}
    </>
  );
}

/** Errors that are found before the request is sent. The service would cut long values or refuse them. */
function faultsIn(name: string, slug: string): Faults {
  const length = name.trim().length;
  const address = spelledOut(slug);
  return {
    ...(length === 0 && { name: 'Enter a name.' }),
    ...(length > MAX_PAGE_NAME && {
      name: `The name has ${length} characters. The limit is ${MAX_PAGE_NAME}.`,
    }),
    ...(address.length < 2 && { slug: 'The slug needs at least two letters or digits.' }),
    ...(address.length > MAX_SLUG_LENGTH && {
      slug: `The slug has ${address.length} characters. The limit is ${MAX_SLUG_LENGTH}.`,
    }),
  };
}

/** The validation errors of the service, by field. */
function faultsOf(error: unknown): Faults | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'INVALID_SLUG' || error.code === 'SLUG_TAKEN') return { slug: error.message };
  const faults = Object.fromEntries(error.details.map(({ path, message }) => [path, `This ${message}.`]));
  return Object.keys(faults).length > 0 ? faults : undefined;
}
