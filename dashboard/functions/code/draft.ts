/** Code that is typed and not deployed yet, kept by the browser so that a crash loses nothing. */
export interface Draft {
  code: string;
  /** The version it began from. */
  version: number;
}

const keyOf = (slug: string) => `quire.function-draft.${slug}`;

export function readDraft(slug: string): Draft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(keyOf(slug)) ?? 'null') as Partial<Draft> | null;
    if (typeof draft?.code !== 'string' || typeof draft.version !== 'number') return undefined;
    return { code: draft.code, version: draft.version };
  } catch {
    return undefined;
  }
}

/** Whether it could be kept: browsers may have no room for it, or none at all. */
export function keepDraft(slug: string, draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(slug), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(slug: string): void {
  try {
    localStorage.removeItem(keyOf(slug));
  } catch {
    // Nothing was kept either.
  }
}
