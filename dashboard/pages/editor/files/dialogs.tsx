import {
  FilePathSet,
  filePathFault,
  normalizeFilePath,
  TWICE,
} from '../../../../contract/rules/file-paths.ts';
import { affected, baseName, parentFolder, renamed } from '../../../editor/files/index.ts';
import { PathDialog } from '../../../editor/files/tree/index.tsx';
import { t } from '../../../texts/index.ts';
import { ConfirmDialog, say } from '../../../ui/index.ts';
import type { EditedPage } from '../work/edited-page.ts';

interface DialogProps {
  work: EditedPage;
  onClose: () => void;
}

/** Why the page cannot have these paths together. */
function faultOfPaths(paths: string[], wanted: string): string | undefined {
  const fault = filePathFault(wanted);
  if (fault) return t('The path {fault}.', { fault });
  const all = new FilePathSet();
  for (const path of paths) {
    const clash = all.add(path);
    if (clash === TWICE) return t('The page already has {names}.', { names: path });
    if (clash) return t('The path {path} {fault}.', { path, fault: clash });
  }
  return undefined;
}

/** Asks for the path of a new text file. */
export function NewFile({ work, folder, onClose }: DialogProps & { folder: string }) {
  const create = (typed: string) => {
    const path = normalizeFilePath(typed);
    const fault = faultOfPaths([...work.paths(), path], path);
    if (fault) return fault;
    work.create(path);
    onClose();
    return undefined;
  };
  return (
    <PathDialog
      title={t('New file')}
      submit={t('Create file')}
      label={t('Name')}
      hint={t('For example style.css or about.html. With a slash it goes into a folder: css/style.css.')}
      first={folder === '' ? '' : `${folder}/`}
      onSubmit={create}
      onClose={onClose}
    />
  );
}

interface PathProps extends DialogProps {
  path: string;
  isFolder: boolean;
}

/** Renames or moves a file or a folder. */
export function RenameFile({
  work,
  path,
  isFolder,
  onClose,
  onDone,
}: PathProps & { onDone: (path: string) => void }) {
  const rename = async (typed: string) => {
    const to = normalizeFilePath(typed.replace(/\/+$/, ''));
    if (to === path) {
      onClose();
      return undefined;
    }
    const fault = faultOfPaths(
      work.paths().map((each) => renamed(each, path, to)),
      to,
    );
    if (fault) return fault;
    await work.files.rename(path, to);
    const shown = parentFolder(to) === parentFolder(path) ? baseName(to) : to;
    say(t('Renamed {from} to {to}.', { from: baseName(path), to: shown }));
    onDone(to);
    return undefined;
  };
  return (
    <PathDialog
      title={isFolder ? t('Rename folder') : t('Rename file')}
      submit={t('Rename')}
      label={t('Path')}
      hint={t('Change the folders in it to move it. Pages that use the old name must be changed too.')}
      first={path}
      onSubmit={rename}
      onClose={onClose}
    />
  );
}

/** Asks before a file or a folder is deleted. */
export function DeleteFile({ work, path, isFolder, onClose, onDone }: PathProps & { onDone: () => void }) {
  const count = affected(work.paths(), path).length;
  const isUnsaved = affected(work.edits.paths(), path).length > 0;
  const remove = async () => {
    await work.files.remove(path);
    say(t('Deleted {name}.', { name: path }));
    onDone();
  };
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name: baseName(path) })}
      action={t('Delete')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p class="file-names">
        {isFolder
          ? t('This deletes the folder {path} with {count|{count} file|{count} files}.', { path, count })
          : t('This deletes {path}.', { path })}{' '}
        {t(
          '{count|Visitors no longer get it. Earlier versions of the page keep it.|Visitors no longer get them. Earlier versions of the page keep them.}',
          { count },
        )}
        {isUnsaved && ` ${t('Unsaved changes are discarded.')}`}
      </p>
    </ConfirmDialog>
  );
}
