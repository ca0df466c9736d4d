import { useEffect, useMemo, useState } from 'preact/hooks';
import { MAIN_MODULE as MAIN } from '../../../contract/rules/function-names.ts';
import { affected, baseName, listRows, parentFolder, type TreeRow } from '../../editor/files/index.ts';
import { FileTree, useFolders } from '../../editor/files/tree/index.tsx';
import { t } from '../../texts/index.ts';
import { Button, formatBytes } from '../../ui/index.ts';
import type { Modules } from './modules.ts';

interface PanelProps {
  modules: Modules;
  isUnsaved: (path: string) => boolean;
}

/** The modules of a function: a tree, and what can be done with them. */
export function ModulePanel({ modules, isUnsaved }: PanelProps) {
  const current = modules.current.value;
  const paths = modules.paths();
  const other = paths.find((path) => path !== MAIN);
  const [active, setActive] = useState(current);
  const folders = useFolders(current);
  const rows = useMemo(() => listRows(paths, folders.isOpen), [paths.join('\n'), folders.open]);
  const row = rows.find(({ path }) => path === active);
  const ask = (kind: 'rename' | 'delete') => (each: TreeRow) => {
    if (each.path !== MAIN) modules.asking.value = { kind, path: each.path };
  };
  // The module that was opened elsewhere, by an error or as a new file.
  useEffect(() => setActive(current), [current]);
  return (
    <section class={`file-panel ${other ? '' : 'single'}`} aria-label={t('Files')}>
      <header>
        <h2>{t('Files')}</h2>
        <Button
          kind="bare"
          onClick={() => {
            modules.asking.value = { kind: 'new', folder: row?.isFolder ? row.path : parentFolder(active) };
          }}
        >
          {t('New file')}
        </Button>
      </header>
      <FileTree
        {...{ rows, active, isUnsaved }}
        label={t('Files of the function')}
        shown={current}
        isOpen={folders.isOpen}
        onMove={setActive}
        onToggle={folders.toggle}
        onShow={(path) => modules.show(path)}
        onRename={ask('rename')}
        onDelete={ask('delete')}
      />
      <ImportHint other={paths.find(isModule)} />
      {other && row && <Foot modules={modules} row={row} onRename={ask('rename')} onDelete={ask('delete')} />}
    </section>
  );
}

/** Migrations, `package.json` and `tsconfig.json` are not imported. */
const isModule = (path: string) => path !== MAIN && /\.([cm]?[jt]sx?|wasm)$/.test(path);

/** How the code uses another file, and a package. */
function ImportHint({ other }: { other: string | undefined }) {
  return (
    <div class="hint fn-imports">
      {other && (
        <p>
          {t('Import a file:')} <code>from "./{other}"</code>
        </p>
      )}
      <p>
        {t('Import an npm package:')} <code>{'import { z } from "npm:zod@4"'}</code>
      </p>
    </div>
  );
}

interface FootProps {
  modules: Modules;
  row: TreeRow;
  onRename: (row: TreeRow) => void;
  onDelete: (row: TreeRow) => void;
}

/** What can be done with the row that is active. */
function Foot({ modules, row, onRename, onDelete }: FootProps) {
  const { path, isFolder } = row;
  const sources = modules.sources.value;
  const inside = affected(modules.paths(), path);
  const bytes = inside.reduce((sum, each) => sum + new Blob([sources[each] ?? '']).size, 0);
  const facts = path === MAIN ? t('Main module') : formatBytes(bytes);
  return (
    <footer class="file-panel-foot">
      <p>
        <strong>{baseName(path)}</strong>{' '}
        <span class="faint">
          {isFolder && `${t('{count|{count} file|{count} files}', { count: inside.length })} · `}
          {facts}
        </span>
      </p>
      {path !== MAIN && (
        <div class="actions">
          <Button kind="bare" label={t('Rename {name}', { name: path })} onClick={() => onRename(row)}>
            {t('Rename')}
          </Button>
          <Button kind="bare" label={t('Delete {name}', { name: path })} onClick={() => onDelete(row)}>
            {t('Delete')}
          </Button>
        </div>
      )}
    </footer>
  );
}
