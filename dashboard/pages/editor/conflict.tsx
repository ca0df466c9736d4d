import { useState } from 'preact/hooks';
import { CodeEditor, type LineChanges } from '../../editor/index.tsx';
import { Button, Dialog, plural, say } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

interface ConflictProps {
  theirs: PageDetail;
  mine: string;
  keepMine: () => Promise<void>;
  takeTheirs: () => void;
  goOn: () => void;
}

/** Shown when someone else saved the page while this person was editing: compares both texts and lets them choose. */
export function Conflict({ theirs, mine, keepMine, takeTheirs, goOn }: ConflictProps) {
  const [changes, setChanges] = useState<LineChanges>();
  const copyAndGoOn = async () => {
    await navigator.clipboard.writeText(mine);
    say('Copied your text.');
    goOn();
  };
  return (
    <Dialog title="Someone else saved this page" onClose={goOn} wide>
      <p>
        The page is now at version {theirs.versionCount}.{' '}
        {changes &&
          `Compared with it, your text has ${plural(changes.added, 'added line')} and ${plural(changes.removed, 'removed line')}:`}
      </p>
      <div class="page-diff">
        <CodeEditor
          text={mine}
          original={theirs.html_content}
          language="html"
          label={`Your text, compared with version ${theirs.versionCount}`}
          isReadOnly
          onReady={(editor) => setChanges(editor.changes)}
        />
      </div>
      <div class="actions page-choices">
        <Button onClick={keepMine}>Save mine as version {theirs.versionCount + 1}</Button>
        <Button kind="quiet" onClick={takeTheirs}>
          Use theirs
        </Button>
        <Button kind="bare" onClick={copyAndGoOn}>
          Copy mine and keep editing
        </Button>
      </div>
      <p class="hint">
        If you save yours, theirs stays in the version history. If you use theirs, Undo in the editor restores
        yours.
      </p>
    </Dialog>
  );
}
