import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Form, Section, TextField } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply } from './apply.ts';
import { MAX_SLUG_LENGTH, spelledOut } from './slug.ts';

const MAX_NAME = 200;
/** From here on the room that is left is told. */
const NEARLY = 160;
const MAX_DESCRIPTION = 500;

type Faults = Partial<Record<'name' | 'slug' | 'description', string>>;

/** What the page is called, where it is, and what it is about. */
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
          hint={name.length > NEARLY && `${name.length} of ${MAX_NAME} characters.`}
          required
        />
        <TextField
          label="Slug"
          value={slug}
          onInput={setSlug}
          mono
          error={found.slug ?? faults.slug}
          required
          hint={
            !found.slug && (
              <>
                The page {hasNewSlug ? 'will be' : 'is'} at {location.origin}/p/
                <strong>{address}</strong>.{hasNewSlug && ` The old address /p/${page.slug} leads there.`}
              </>
            )
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

/** What is wrong before the service is asked: it would cut what is too long, or refuse. */
function faultsIn(name: string, slug: string): Faults {
  const length = name.trim().length;
  const address = spelledOut(slug);
  return {
    ...(length === 0 && { name: 'A page needs a name.' }),
    ...(length > MAX_NAME && { name: `The name has ${length} characters; at most ${MAX_NAME} are allowed.` }),
    ...(address.length < 2 && { slug: 'The slug needs at least two letters or digits.' }),
    ...(address.length > MAX_SLUG_LENGTH && {
      slug: `The slug has ${address.length} characters; at most ${MAX_SLUG_LENGTH} are allowed.`,
    }),
  };
}

/** What the service has against single fields, in its own words. */
function faultsOf(error: unknown): Faults | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'INVALID_SLUG' || error.code === 'SLUG_TAKEN') return { slug: error.message };
  const faults = Object.fromEntries(error.details.map(({ path, message }) => [path, `This ${message}.`]));
  return Object.keys(faults).length > 0 ? faults : undefined;
}
