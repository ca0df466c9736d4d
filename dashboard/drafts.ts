/** Unsaved text, stored in this browser, so that a crash or the end of the login loses nothing. */
export interface Draft {
  text: string;
  /** The version that the person started from. */
  version: number;
  /** When it was last stored, in milliseconds. */
  at: number;
  /** By path: the unsaved texts of a page's files, or all further modules of a function. */
  files?: Record<string, FileDraft>;
}

export interface FileDraft {
  text: string;
  /** The hash of the file that the person started from; absent if the file is new. */
  base?: string;
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
  let last: string | undefined;
  return {
    read() {
      try {
        saved = localStorage.getItem(name);
        const draft = JSON.parse(saved ?? 'null') as Draft | null;
        if (typeof draft?.text !== 'string' || typeof draft.version !== 'number') return undefined;
        last = serializeContent(draft);
        return draft;
      } catch {
        return undefined;
      }
    },
    save(draft) {
      const content = serializeContent(draft);
      if (content === last) return true;
      try {
        saved = JSON.stringify(draft);
        localStorage.setItem(name, saved);
        last = content;
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

/** Everything but the time: a draft that did not change need not be stored again. */
const serializeContent = ({ text, version, files }: Draft) => JSON.stringify([text, version, files]);
