import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FileChange } from './compare.ts';
import { FileChanges } from './file-changes.tsx';

interface ComparedProps {
  what: string;
  changes: FileChange[];
  /** False if neither version has files beside the main one. */
  hasFiles: boolean;
  /** The main file, which is shown if nothing changed. */
  main: string;
  children: (change: FileChange) => ComponentChildren;
}

/** The files that differ between two versions, and one of them. */
export function Compared({ what, changes, hasFiles, main, children }: ComparedProps) {
  const [chosen, setChosen] = useState<string>();
  const same: FileChange = { path: main, kind: 'changed', before: undefined, after: undefined };
  const change = changes.find(({ path }) => path === chosen) ?? changes[0] ?? same;
  return (
    <>
      {hasFiles && <FileChanges what={what} changes={changes} chosen={change.path} onChoose={setChosen} />}
      {(!hasFiles || changes.length > 0) && children(change)}
    </>
  );
}
