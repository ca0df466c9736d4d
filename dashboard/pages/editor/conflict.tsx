import { CodeEditor } from '../../editor/index.tsx';
import { Button, Dialog, plural, say } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { comparable, lineChanges } from '../line-changes.ts';

interface ConflictProps {
  theirs: PageDetail;
  mine: string;
  keepMine: () => Promise<void>;
  takeTheirs: () => void;
  goOn: () => void;
}

/** Somebody saved while the person was writing: shows both texts, and lets them choose. */
export function Conflict({ theirs, mine, keepMine, takeTheirs, goOn }: ConflictProps) {
  const { added, removed } = lineChanges(theirs.html_content, mine);
  const copyAndGoOn = async () => {
    await navigator.clipboard.writeText(mine);
    say('Your text is copied.');
    goOn();
  };
  return (
    <Dialog title="Somebody saved this page meanwhile" onClose={goOn} wide>
      <p>
        The page is now at version {theirs.versionCount}. Your text differs from it by{' '}
        {plural(added, 'added line')} and {plural(removed, 'removed line')}:
      </p>
      <div class="page-diff">
        <CodeEditor
          text={comparable(mine)}
          original={comparable(theirs.html_content)}
          language="html"
          label={`Your text, as changes of version ${theirs.versionCount}`}
          isReadOnly
        />
      </div>
      <div class="actions page-choices">
        <Button onClick={keepMine}>Keep mine as version {theirs.versionCount + 1}</Button>
        <Button kind="quiet" onClick={takeTheirs}>
          Take theirs
        </Button>
        <Button kind="bare" onClick={copyAndGoOn}>
          Copy mine and go on editing
        </Button>
      </div>
      <p class="hint">
        Keeping yours leaves theirs in the version history. After taking theirs, undo in the editor brings
        yours back.
      </p>
    </Dialog>
  );
}
