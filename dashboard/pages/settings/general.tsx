import { useState } from 'preact/hooks';
import { MAX_PAGE_DESCRIPTION, MAX_PAGE_NAME } from '../../../contract/rules/limits.ts';
import { MAX_SLUG_LENGTH, spelledOut } from '../../../contract/rules/pages/page-slugs.ts';
import { ApiError } from '../../api.ts';
import { rich, t } from '../../texts/index.ts';
import { Form, Section, TextField } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Apply } from './apply.ts';
import { OldAddresses } from './old-addresses.tsx';

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
      const refused = readFaults(error);
      if (!refused) throw error;
      setFaults(refused);
    }
  };

  return (
    <Section id="general" title={t('General')}>
      <Form submit={t('Save')} onSubmit={save} disabled={!isChanged || Object.keys(found).length > 0}>
        <TextField
          label={t('Name')}
          value={name}
          onInput={setName}
          error={found.name ?? faults.name}
          hint={name.length > NEARLY && nameHint(name.length)}
          required
        />
        <TextField
          label={t('Slug')}
          value={slug}
          onInput={setSlug}
          mono
          error={found.slug ?? faults.slug}
          required
          hint={!found.slug && <UrlHint page={page} slug={address} />}
        />
        <OldAddresses page={page} />
        <TextField
          label={t('Description')}
          value={description}
          onInput={setDescription}
          rows={3}
          error={faults.description}
          hint={descriptionHint(description.length)}
        />
      </Form>
    </Section>
  );
}

const nameHint = (length: number) =>
  t('{length} of {max} characters.', { length: String(length), max: String(MAX_PAGE_NAME) });

const descriptionHint = (length: number) =>
  t('Shown in search results and link previews. {length} of {max} characters.', {
    length: String(length),
    max: String(MAX_PAGE_DESCRIPTION),
  });

function UrlHint({ page, slug }: { page: PageDetail; slug: string }) {
  const tags = { b: (text: string) => <strong>{text}</strong> };
  const place = { start: `${location.origin}/p/`, slug };
  return (
    <>
      {slug === page.slug
        ? rich('The page is at {start}<b>{slug}</b>.', tags, place)
        : rich('The page will be at {start}<b>{slug}</b>. The old URL /p/{old} redirects there.', tags, {
            ...place,
            old: page.slug,
          })}
    </>
  );
}

/** Errors that are found before the request is sent. The service would cut long values or refuse them. */
function faultsIn(name: string, slug: string): Faults {
  const length = name.trim().length;
  const address = spelledOut(slug);
  return {
    ...(length === 0 && { name: t('Enter a name.') }),
    ...(length > MAX_PAGE_NAME && {
      name: t('The name has {length} characters. The limit is {max}.', { length, max: MAX_PAGE_NAME }),
    }),
    ...(address.length < 2 && { slug: t('The slug needs at least two letters or digits.') }),
    ...(address.length > MAX_SLUG_LENGTH && {
      slug: t('The slug has {length} characters. The limit is {max}.', {
        length: address.length,
        max: MAX_SLUG_LENGTH,
      }),
    }),
  };
}

/** The validation errors of the service, by field. */
function readFaults(error: unknown): Faults | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'INVALID_SLUG' || error.code === 'SLUG_TAKEN') return { slug: error.message };
  const faults = Object.fromEntries(
    error.details.map(({ path, message }) => [path, t('This {fault}.', { fault: message })]),
  );
  return Object.keys(faults).length > 0 ? faults : undefined;
}
