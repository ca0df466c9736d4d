import { FilePathSet, filePathFault, normalizeFilePath } from '../../../../contract/rules/file-paths.ts';
import { affected, folderOf, nameOf, renamed } from '../../../editor/files/index.ts';
import { PathDialog } from '../../../editor/files/tree/index.tsx';
import { Button, Dialog, plural, say } from '../../../ui/index.ts';
import type { EditedPage } from '../work/edited-page.ts';

interface DialogProps {
  work: EditedPage;
  onClose: () => void;
}

/** Why the page cannot have these paths together. */
function faultOfPaths(paths: string[], wanted: string): string | undefined {
  const fault = filePathFault(wanted);
  if (fault) return `The path ${fault}.`;
  const all = new FilePathSet();
  for (const path of paths) {
    const clash = all.add(path);
    if (clash === 'is there twice') return `The page already has ${path}.`;
    if (clash) return `The path ${path} ${clash}.`;
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
      title="New file"
      submit="Create file"
      label="Name"
      hint="For example style.css or about.html. With a slash it goes into a folder: css/style.css."
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
    await work.rename(path, to);
    say(`Renamed ${nameOf(path)} to ${folderOf(to) === folderOf(path) ? nameOf(to) : to}.`);
    onDone(to);
    return undefined;
  };
  return (
    <PathDialog
      title={`Rename ${isFolder ? 'folder' : 'file'}`}
      submit="Rename"
      label="Path"
      hint="Change the folders in it to move it. Pages that use the old name must be changed too."
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
    await work.remove(path);
    say(`Deleted ${path}.`);
    onDone();
  };
  return (
    <Dialog title={`Delete ${nameOf(path)}?`} onClose={onClose}>
      <p class="file-names">
        {isFolder
          ? `This deletes the folder ${path} with ${plural(count, 'file')}.`
          : `This deletes ${path}.`}{' '}
        Visitors no longer get {count === 1 ? 'it' : 'them'}. Earlier versions of the page keep{' '}
        {count === 1 ? 'it' : 'them'}.{isUnsaved && ' Unsaved changes are discarded.'}
      </p>
      <div class="actions">
        <Button kind="danger" onClick={remove}>
          Delete
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
