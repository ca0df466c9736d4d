import { draftStorage } from '../../drafts.ts';
import { me } from '../../session.ts';
import type { Code } from '../api.ts';
import { fromSources, type Sources, toSources } from '../modules/index.tsx';

/** Code that has not been deployed. */
export function openDrafts(slug: string) {
  const storage = openStorage(slug);
  return {
    /** The draft, or else what is deployed. */
    read(deployed: Code): { sources: Sources; version: number } {
      const draft = storage.read();
      if (!draft) return { sources: toSources(deployed), version: deployed.version };
      const texts = Object.entries(draft.files ?? {}).map(([path, { text }]) => [path, text]);
      const files = Object.fromEntries(texts);
      return { sources: toSources({ code: draft.text, files }), version: draft.version };
    },
    /** Returns false if the browser cannot store it. */
    save(sources: Sources, version: number): boolean {
      const { code, files } = fromSources(sources);
      const texts = Object.entries(files).map(([path, text]) => [path, { text }]);
      return storage.save({ text: code, version, at: Date.now(), files: Object.fromEntries(texts) });
    },
    discard: storage.discard,
  };
}

/** Removes the draft of a deleted function, so that a new function with the same slug starts without it. */
export function dropDraft(slug: string): void {
  const storage = openStorage(slug);
  storage.read();
  storage.discard();
}

const openStorage = (slug: string) => draftStorage(`${me.value?.id}-function-${slug}`);
