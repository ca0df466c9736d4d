const CALL =
  /PageFunctions\.(?:call|fetch|socket)\(\s{0,9}["'`]([a-z0-9-]{1,100})["'`]|\/api\/functions\/([a-z0-9-]{1,100})["'`?]/g;

/** The slugs of the functions that a document or a script calls, as far as they are written in it. */
export function findCalledFunctions(text: string, most: number): string[] {
  const slugs = new Set<string>();
  // Most long scripts have neither, and this is quicker than the pattern.
  if (!text.includes('PageFunctions.') && !text.includes('/api/functions/')) return [];
  for (const [, called, fetched] of text.matchAll(CALL)) {
    slugs.add(called ?? fetched ?? '');
    if (slugs.size === most) break;
  }
  return [...slugs];
}
