/** Unsaved text, stored in this browser, so that a crash or the end of the login loses nothing. */
export interface Draft {
  text: string;
  /** The version that the person started from. */
  version: number;
  /** When it was last stored, in milliseconds. */
  at: number;
}

interface DraftStorage {
  read(): Draft | undefined;
  /** Returns false if the browser's storage is full or disabled. */
  save(draft: Draft): boolean;
  /** Removes the draft that this window saved. A draft from another window stays. */
  discard(): void;
}

/** `key` must contain the user's id, so that another person who logs in to this browser does not see the draft. */
export function draftStorage(key: string): DraftStorage {
  const name = `quire-draft-${key}`;
  let saved: string | null = null;
  let last: Draft | undefined;
  return {
    read() {
      try {
        saved = localStorage.getItem(name);
        const draft = JSON.parse(saved ?? 'null') as Draft | null;
        last = typeof draft?.text === 'string' && typeof draft.version === 'number' ? draft : undefined;
        return last;
      } catch {
        return undefined;
      }
    },
    save(draft) {
      if (draft.text === last?.text && draft.version === last.version) return true;
      try {
        saved = JSON.stringify(draft);
        localStorage.setItem(name, saved);
        last = draft;
        return true;
      } catch {
        return false;
      }
    },
    discard() {
      try {
        if (saved !== null && localStorage.getItem(name) === saved) localStorage.removeItem(name);
      } catch {
        // Storage is disabled, so nothing was saved either.
      }
      saved = null;
      last = undefined;
    },
  };
}
