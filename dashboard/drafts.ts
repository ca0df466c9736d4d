/** Text that is not saved yet, kept in this browser, so that a crash or the end of a login loses nothing. */
export interface Draft {
  text: string;
  /** The version that it was begun from. */
  version: number;
  /** When it was last kept, in milliseconds. */
  at: number;
}

interface DraftPlace {
  read(): Draft | undefined;
  /** False when the browser has no room for it. */
  keep(draft: Draft): boolean;
  /** Forgets what this window kept; what another window kept stays. */
  forget(): void;
}

/** `of` must be a person's own: somebody else who logs in to this browser is not shown it. */
export function draftPlace(of: string): DraftPlace {
  const name = `quire-draft-${of}`;
  let kept: string | null = null;
  let last: Draft | undefined;
  return {
    read() {
      try {
        kept = localStorage.getItem(name);
        const draft = JSON.parse(kept ?? 'null') as Draft | null;
        last = typeof draft?.text === 'string' && typeof draft.version === 'number' ? draft : undefined;
        return last;
      } catch {
        return undefined;
      }
    },
    keep(draft) {
      if (draft.text === last?.text && draft.version === last.version) return true;
      try {
        kept = JSON.stringify(draft);
        localStorage.setItem(name, kept);
        last = draft;
        return true;
      } catch {
        return false;
      }
    },
    forget() {
      try {
        if (kept !== null && localStorage.getItem(name) === kept) localStorage.removeItem(name);
      } catch {
        // Then nothing was kept either.
      }
      kept = null;
      last = undefined;
    },
  };
}
