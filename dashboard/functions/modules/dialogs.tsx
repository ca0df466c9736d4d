import { affected, baseName, renamed } from '../../editor/files/index.ts';
import { focusTree, PathDialog } from '../../editor/files/tree/index.tsx';
import { t } from '../../texts/index.ts';
import { Ask } from '../../ui/index.ts';
import type { Modules } from './modules.ts';
import { pathFault } from './sources.ts';

/** The dialog that is open, if any. Not inside the form of a new function: a form cannot contain another. */
export function ModuleDialog({ modules }: { modules: Modules }) {
  const asking = modules.asking.value;
  if (!asking) return null;
  const close = () => {
    modules.asking.value = undefined;
  };
  if (asking.kind === 'new') return <NewModule {...{ modules, folder: asking.folder, close }} />;
  const { path } = asking;
  return asking.kind === 'rename' ? (
    <RenameModule {...{ modules, path, close }} />
  ) : (
    <DeleteModule {...{ modules, path, close }} />
  );
}

interface DialogProps {
  modules: Modules;
  close: () => void;
}

function NewModule({ modules, folder, close }: DialogProps & { folder: string }) {
  const create = (path: string) => {
    const fault = pathFault(modules.paths(), path);
    if (fault) return fault;
    modules.create(path);
    close();
    return undefined;
  };
  return (
    <PathDialog
      title={t('New file')}
      submit={t('Create file')}
      label={t('Name')}
      hint={t('For example text.ts or data.json. With a slash it goes into a folder: lib/text.ts.')}
      first={folder === '' ? '' : `${folder}/`}
      onSubmit={create}
      onClose={close}
    />
  );
}

function RenameModule({ modules, path, close }: DialogProps & { path: string }) {
  const rename = (typed: string) => {
    const to = typed.replace(/\/+$/, '');
    if (to !== path) {
      const moved = affected(modules.paths(), path);
      const others = modules.paths().filter((each) => !moved.includes(each));
      for (const each of moved) {
        const fault = pathFault(others, renamed(each, path, to));
        if (fault) return fault;
      }
      modules.rename(path, to);
    }
    close();
    focusTree();
    return undefined;
  };
  return (
    <PathDialog
      title={t('Rename {name}', { name: baseName(path) })}
      submit={t('Rename')}
      label={t('Path')}
      hint={t('Change the folders in it to move it. Imports of the old path must be changed too.')}
      first={path}
      onSubmit={rename}
      onClose={close}
    />
  );
}

function DeleteModule({ modules, path, close }: DialogProps & { path: string }) {
  const inside = affected(modules.paths(), path);
  const isFolder = !inside.includes(path);
  return (
    <Ask
      title={t('Delete {name}?', { name: baseName(path) })}
      submit={t('Delete')}
      onConfirm={() => {
        modules.remove(path);
        focusTree();
      }}
      onClose={close}
    >
      {isFolder
        ? t(
            'This deletes the folder {path} with {count|{count} file|{count} files} from the editor. The version that is live keeps it until you deploy.',
            { path, count: inside.length },
          )
        : t('This deletes {path} from the editor. The version that is live keeps it until you deploy.', {
            path,
          })}
    </Ask>
  );
}
