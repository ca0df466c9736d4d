import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import type { DocsIndex } from '../../contract/service.ts';
import { call } from '../api.ts';
import { t } from '../texts/index.ts';
import type { PaletteEntry } from './entries.ts';

const AT_MOST = 8;

/** The pages, functions and databases that the service finds; without a query, the latest. */
export async function searchOwn(text: string, signal: AbortSignal): Promise<PaletteEntry[]> {
  const query = { limit: AT_MOST, ...(text && { q: text.slice(0, 200) }) };
  const [{ pages }, { functions }] = await Promise.all([
    call(pageEndpoints.listPages, { query, signal }),
    call(functionEndpoints.listFunctions, { query: { mine: 'true', ...query }, signal }),
  ]);
  return [
    ...pages.map(
      ({ id, name, slug }): PaletteEntry => ({
        id: `page ${id}`,
        group: t('Pages'),
        label: name,
        note: `/p/${slug}`,
        icon: 'page',
        href: `/pages/${id}`,
        isFound: true,
      }),
    ),
    ...functions.flatMap(({ slug, displayName, hasDatabase }): PaletteEntry[] => [
      {
        id: `function ${slug}`,
        group: t('Functions'),
        ...named(slug, displayName),
        icon: 'function',
        href: `/functions/${slug}`,
        isFound: true,
      },
      ...(hasDatabase ? [makeDatabaseEntry(slug, displayName)] : []),
    ]),
  ];
}

/** The name of a function, and its slug if that is something else. */
const named = (slug: string, displayName: string) =>
  displayName && displayName !== slug ? { label: displayName, note: slug } : { label: slug };

const makeDatabaseEntry = (slug: string, displayName: string): PaletteEntry => ({
  id: `database ${slug}`,
  group: t('Databases'),
  ...named(slug, displayName),
  icon: 'database',
  href: `/functions/${slug}/database`,
  isFound: true,
});

let docs: Promise<PaletteEntry[]> | undefined;

/** The documents and their headings. They are loaded once. */
export function readDocs(): Promise<PaletteEntry[]> {
  docs ??= loadDocs();
  docs.catch(() => {
    docs = undefined;
  });
  return docs;
}

async function loadDocs(): Promise<PaletteEntry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(t('The docs could not be searched.'));
  const { documents } = (await response.json()) as DocsIndex;
  return documents.flatMap(({ href, title, about, headings }): PaletteEntry[] => [
    {
      id: `doc ${href}`,
      group: t('Docs'),
      label: title,
      icon: 'docs',
      href,
      isExternal: true,
      isReference: true,
      ...(about && { keywords: about }),
    },
    ...headings.map(
      (heading): PaletteEntry => ({
        id: `doc ${href}#${heading.id}`,
        group: t('Docs'),
        label: heading.title,
        note: title,
        icon: 'docs',
        href: `${href}#${heading.id}`,
        isExternal: true,
        isReference: true,
      }),
    ),
  ]);
}

/** The other tabs of the screen that is open, as it shows them. */
export function readTabs(): PaletteEntry[] {
  const links = document.querySelectorAll<HTMLAnchorElement>(
    'main :is(.tabs, .bar-tabs-row) a:not([aria-current])',
  );
  return Array.from(links, (link): PaletteEntry => {
    const href = link.getAttribute('href') ?? '';
    return {
      id: `tab ${href}`,
      group: t('On this screen'),
      label: (link.textContent ?? '').trim(),
      icon: 'chevron-right',
      href,
    };
  });
}
