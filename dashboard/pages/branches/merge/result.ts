/** What the last merge has changed, in this window, so that it can be looked at and undone after a reload. */

export interface Result {
  into: 'main' | 'branch';
  /** The moment before it, to go back to. */
  undo: string | null;
  version: number | null;
  /** Sentences in the language of the person. */
  summary: string[];
  /** What an attack on a copy found that the page did not have. */
  findings: number;
  /** Why the result was not tried in a browser. */
  notTried?: string | undefined;
  isUndone?: boolean;
}

const toKey = (branchPage: number) => `quire-merged-${branchPage}`;

export function readResult(branchPage: number): Result | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(toKey(branchPage)) ?? 'null') as Result | null) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepResult(branchPage: number, result: Result | undefined): void {
  try {
    if (result) sessionStorage.setItem(toKey(branchPage), JSON.stringify(result));
    else sessionStorage.removeItem(toKey(branchPage));
  } catch {
    // Storage is disabled: the history has the moment too.
  }
}
