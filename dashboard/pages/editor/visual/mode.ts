/** How the editor opens: with the page that can be changed by clicking, or with its code. */
export type Mode = 'page' | 'code';

const forPage = (userId: number, pageId: number) => `quire-editor-${userId}-${pageId}`;
const forAll = (userId: number) => `quire-editor-${userId}`;

/** Where only one pane fits, the page comes first. Also in writing.css. */
export const isPhone = () => matchMedia('(width <= 46rem)').matches;

/** What this page was opened with in this browser, or else what the person has used last. */
export function readMode(userId: number | undefined, pageId: number): Mode {
  if (isPhone()) return 'page';
  if (userId === undefined) return 'code';
  try {
    const stored = localStorage.getItem(forPage(userId, pageId)) ?? localStorage.getItem(forAll(userId));
    return stored === 'page' ? 'page' : 'code';
  } catch {
    return 'code';
  }
}

export function rememberMode(userId: number, pageId: number, mode: Mode): void {
  store(localKey(userId, pageId), mode);
}

/** Opens a page with what it looks like: for people who did not write its code. */
export function openAsPage(userId: number | undefined, pageId: number): void {
  if (userId !== undefined) store(forPage(userId, pageId), 'page');
}

function localKey(userId: number, pageId: number): string {
  try {
    const own = forPage(userId, pageId);
    return localStorage.getItem(own) === null ? forAll(userId) : own;
  } catch {
    return forAll(userId);
  }
}

function store(key: string, mode: Mode): void {
  try {
    localStorage.setItem(key, mode);
  } catch {
    // Storage is disabled: the choice lasts until the screen is left.
  }
}
