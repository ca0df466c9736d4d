import type { BuilderEvent } from '../../../contract/agents/builder.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { slugify, slugStem } from '../../../contract/rules/pages/page-slugs.ts';
import { readTitle } from '../../../contract/rules/projects/document-title.ts';
import { callApi } from '../../platform/http/index.ts';
import type { BuilderContext } from './context.ts';
import type { Run } from './run.ts';

/** Characters of a name. Titles can be longer, and a name has to fit into a line. */
const MAX_NAME = 60;
/** Slugs to try when the first is taken: the same with a number, as new pages have. */
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9];

/** Names the page after the title of its document, unless somebody has chosen a name. */
export async function* followTitle(
  context: BuilderContext,
  run: Run,
  html: string,
): AsyncGenerator<BuilderEvent> {
  const name = shorten(readTitle(html) ?? '');
  if (!run.isNamedByTitle || name === '' || name === run.page.name) return;
  const slug = slugify(name);
  const slugs = slug === undefined ? [] : [slug, ...NUMBERS.map((number) => slugStem(slug) + number)];
  const params = { id: run.page.id };
  const save = (body: { name: string; slug?: string }) =>
    callApi(context, run, pageEndpoints.updatePage, { params, body });
  let saved: Awaited<ReturnType<typeof save>> | undefined;
  for (const wished of slugs) {
    saved = await save({ name, slug: wished });
    // Another failure says nothing about the slug, and the next number would be an address that nobody expects.
    if (saved.isOk || saved.body.code !== 'SLUG_TAKEN') break;
  }
  const refused = saved && !saved.isOk ? saved.body : undefined;
  // A name that keeps the slug is better than none.
  if (!saved?.isOk) saved = await save({ name });
  if (refused)
    context.log.warn({ page: run.page.id, slug, refused }, 'a page did not get the address of its title');
  if (!saved.isOk) return;
  run.page = { id: run.page.id, name, slug: saved.body.slug ?? run.page.slug };
  yield { type: 'page', page: run.page };
}

/** A name of at most so many characters, cut between words if it can be. */
function shorten(title: string): string {
  const line = title
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const letters = Array.from(line);
  if (letters.length <= MAX_NAME) return line;
  const cut = letters.slice(0, MAX_NAME).join('');
  const end = cut.lastIndexOf(' ');
  return (end > MAX_NAME / 2 ? cut.slice(0, end) : cut).trim();
}
