/** The files of a page with rules. They are read, and never sent. */
export const REDIRECTS = '_redirects';
export const HEADERS = '_headers';

export const isRuleFile = (path: string) => path === REDIRECTS || path === HEADERS;
