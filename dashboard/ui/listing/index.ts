/** Lists of pages and functions: their bar, their place in the URL, and what happens on them. */
export { useActivity, useVisitorsNow } from './activity.ts';
export { ListBar } from './list-bar.tsx';
export { SearchField } from './search-field.tsx';
export { Spark } from './spark.tsx';
export { useListPlace } from './use-list-place.ts';
