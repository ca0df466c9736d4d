/** How somebody can list their pages. The first order is the usual one. */
export const PAGE_ORDERS = ['updated', 'name', 'activity'] as const;
/** Each page has one of these. */
export const PAGE_STATES = ['published', 'draft', 'private', 'taken_down'] as const;
