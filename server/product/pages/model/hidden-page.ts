/** Stands for the name of a page that somebody cannot see. */
const HIDDEN_NAME = 'A page with limited access';

/** A page without its name and slug, which say what it is about. Its address has the id: see `idOfHidden`. */
export function hidden<Page extends { id: number; name: string; slug: string }>(page: Page): Page {
  return { ...page, name: HIDDEN_NAME, slug: hiddenSlug(page.id) };
}

/** Stands for the slug of a page in an address. No slug looks like it. */
export function hiddenSlug(id: number): string {
  return `~${id}`;
}

/** The id of the page that a hidden slug stands for. */
export function idOfHidden(slug: string): number | undefined {
  const id = Number(/^~([1-9]\d{0,15})$/.exec(slug)?.[1]);
  return Number.isSafeInteger(id) ? id : undefined;
}
