/** Literals of the dashboard that look like texts but are not shown, or are the same in every language. */
export const NOT_TEXTS = new Set<string>([
  ' author',
  ' record',
  'QUIRE_DATA=/path/to/empty/folder quire restore {}',
  'quire restore --check {}',
  'whole record',
  '{ "done": false, "count": { "gte": 3 } }',
]);
