/** Literals of the dashboard that look like texts but are not shown, or are the same in every language. */
export const NOT_TEXTS = new Set<string>([
  ' author',
  ' record',
  '.cm-tooltip-autocomplete > ul > li[aria-selected]',
  'Bearer {}',
  'QUIRE_DATA=/path/to/empty/folder quire restore {}',
  'The description',
  'The name',
  'The page',
  'The slug',
  'a new backup',
  'button bare',
  'input:not(:disabled), select, textarea, button:not(:disabled), [tabindex="0"]',
  'none !important',
  'quire restore --check {}',
  'whole record',
  '{ "done": false, "count": { "gte": 3 } }',
]);
