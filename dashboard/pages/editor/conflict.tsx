import { useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { chooseLanguage } from '../../editor/files/index.ts';
import { CodeEditor, type LineChanges } from '../../editor/index.tsx';
import { t } from '../../texts/index.ts';
import { Button, Dialog, Select, say } from '../../ui/index.ts';
import type { EditedPage } from './work/edited-page.ts';
import type { Conflict } from './work/edits.ts';

/** Shown when someone else saved a file while this person was editing it: compares both texts and lets them choose. */
export function ConflictDialog({ work }: { work: EditedPage }) {
  work.watch();
  const { conflicts } = work;
  const [chosen, setChosen] = useState(0);
  const conflict = conflicts[chosen] ?? conflicts[0];
  if (!conflict) return null;
  const { version } = work.known;
  const copyAndGoOn = async () => {
    await navigator.clipboard.writeText(conflict.mine);
    say(t('Copied your text.'));
    work.goOn();
  };
  const isPage = conflicts.length === 1 && conflict.path === INDEX_PATH;
  return (
    <Dialog title={t('Someone else saved this page')} onClose={work.goOn} wide>
      {!isPage && (
        <Select
          label={t('They changed {count|{count} file|{count} files} that you changed too', {
            count: conflicts.length,
          })}
          value={conflict.path}
          options={conflicts.map(({ path }) => [path, path] as const)}
          onChange={(path) => setChosen(conflicts.findIndex((each) => each.path === path))}
        />
      )}
      <Comparison key={conflict.path} conflict={conflict} version={version} />
      <div class="actions page-choices">
        <Button onClick={work.keepMine}>
          {work.isSavingDraft
            ? t('Save mine in the draft')
            : t('Save mine as version {next}', { next: String(version + 1) })}
        </Button>
        <Button kind="quiet" onClick={work.takeTheirs}>
          {t('Use theirs')}
        </Button>
        <Button kind="bare" onClick={copyAndGoOn}>
          {t('Copy mine and keep editing')}
        </Button>
      </div>
      <p class="hint">
        {t(
          'If you save yours, theirs stays in the version history. If you use theirs, Undo in the editor restores yours.',
        )}
      </p>
    </Dialog>
  );
}

function Comparison({ conflict: { path, mine, theirs }, version }: { conflict: Conflict; version: number }) {
  const [changes, setChanges] = useState<LineChanges>();
  return (
    <>
      <p>
        {t('The page is now at version {version}.', { version: String(version) })}{' '}
        {theirs === undefined
          ? t('They deleted this file. Your text:')
          : changes &&
            t(
              'Compared with it, your text has {added|{added} added line|{added} added lines} and {removed|{removed} removed line|{removed} removed lines}:',
              { added: changes.added, removed: changes.removed },
            )}
      </p>
      <div class="page-diff">
        <CodeEditor
          text={mine}
          original={theirs ?? ''}
          language={chooseLanguage(path)}
          label={t('Your text, compared with version {version}', { version: String(version) })}
          isReadOnly
          onReady={(editor) => setChanges(editor.changes)}
        />
      </div>
    </>
  );
}
