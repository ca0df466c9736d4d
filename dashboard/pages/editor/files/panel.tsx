import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { baseName, isInside, listRows, parentFolder, type TreeRow } from '../../../editor/files/index.ts';
import { FileTree, focusTree, useFolders } from '../../../editor/files/tree/index.tsx';
import { rich, t } from '../../../texts/index.ts';
import { Button, formatBytes, Show, Skeleton, saveFile, useLoad } from '../../../ui/index.ts';
import { readFile } from '../../files/api.ts';
import { useFileDrop } from '../../files/use-file-drop.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { DeleteFile, NewFile, RenameFile } from './dialogs.tsx';
import { UploadArea } from './upload-area.tsx';
import { useUploads } from './use-uploads.ts';

interface PanelProps {
  pageId: number;
  work: EditedPage;
  onShow: (path: string) => void;
}

type Asking = { kind: 'new' } | { kind: 'rename' | 'delete'; row: Pick<TreeRow, 'path' | 'isFolder'> };

/** The files of the page: a tree, and what can be done with them. */
export function FilePanel({ pageId, work, onShow }: PanelProps) {
  work.watch();
  const { current } = work.open;
  const [active, setActive] = useState(INDEX_PATH);
  const [asking, setAsking] = useState<Asking>();
  const folders = useFolders(current);
  const paths = work.paths();
  const rows = useMemo(() => listRows(paths, folders.isOpen), [paths.join('\n'), folders.open]);
  const row = rows.find(({ path }) => path === active);
  const folder = row?.isFolder ? row.path : parentFolder(active);
  const uploads = useUploads(work, (added) => added[0] && folders.reveal(added[0]));
  const over = useFileDrop({
    onDrop: (chosen, place) => uploads.take(chosen, folderAt(place) ?? '', { isInDocument: isCode(place) }),
    onPaste: (chosen) => uploads.take(chosen, folder, { isPasted: true, isInDocument: isCode(focused()) }),
  });
  const dropFolder = over && (folderAt(over) ?? '');
  // Shown even if the person has hidden the panel.
  const isNeeded = over !== undefined || uploads.sending !== undefined || uploads.failure !== undefined;
  const ask = (kind: 'rename' | 'delete') => (each: TreeRow) => {
    if (each.path !== INDEX_PATH) setAsking({ kind, row: each });
  };
  // The file that was opened elsewhere, by a warning or a new file.
  useEffect(() => setActive(current), [current]);
  return (
    <section
      class={`file-panel page-files ${over ? 'dropping' : ''} ${isNeeded ? 'needed' : ''}`}
      aria-label={t('Files')}
    >
      <header>
        <h2>{t('Files')}</h2>
        <Button kind="bare" onClick={() => setAsking({ kind: 'new' })}>
          {t('New file')}
        </Button>
      </header>
      <UploadArea uploads={uploads} folder={folder} />
      <Listed work={work} isEmpty={paths.length === 1}>
        <FileTree
          {...{ rows, active }}
          label={t('Files of the page')}
          shown={current}
          isOpen={folders.isOpen}
          isUnsaved={work.edits.has}
          dropFolder={dropFolder}
          onMove={setActive}
          onToggle={folders.toggle}
          onShow={onShow}
          onRename={ask('rename')}
          onDelete={ask('delete')}
        />
      </Listed>
      <Foot pageId={pageId} work={work} row={row} onAsk={setAsking} />
      {dropFolder !== undefined && (
        <p class="page-files-drop" role="status">
          {dropFolder ? t('Drop to upload to {folder}', { folder: dropFolder }) : t('Drop to upload')}
        </p>
      )}
      {asking && <FileDialog {...{ work, asking, folder, setActive }} onClose={() => setAsking(undefined)} />}
    </section>
  );
}

/** The tree once the files are known, and what it is for while there are none. */
function Listed({
  work,
  isEmpty,
  children,
}: {
  work: EditedPage;
  isEmpty: boolean;
  children: ComponentChildren;
}) {
  const loaded = useLoad(async () => {
    await work.loadFiles();
    return true;
  }, []);
  return (
    <Show loaded={loaded} skeleton={<Skeleton lines={3} />}>
      {() => (
        <>
          {children}
          {isEmpty && <NoFiles />}
        </>
      )}
    </Show>
  );
}

interface FileDialogProps {
  work: EditedPage;
  asking: Asking;
  folder: string;
  setActive: (path: string) => void;
  onClose: () => void;
}

function FileDialog({ work, asking, folder, setActive, onClose }: FileDialogProps) {
  if (asking.kind === 'new') return <NewFile work={work} folder={folder} onClose={onClose} />;
  const { path, isFolder } = asking.row;
  const props = { work, path, isFolder, onClose };
  const done = (next: string) => {
    setActive(next);
    onClose();
    focusTree();
  };
  return asking.kind === 'delete' ? (
    <DeleteFile {...props} onDone={() => done(parentFolder(path) || INDEX_PATH)} />
  ) : (
    <RenameFile {...props} onDone={done} />
  );
}

const focused = () => document.activeElement;

/** True for the editor of a text. */
const isCode = (place: Element | null | undefined) => place?.closest('.page-open .code-editor') != null;

/** The folder of the row that files are dropped on. */
function folderAt(place: Element | undefined): string | undefined {
  const row = place?.closest<HTMLElement>('.file-tree-row');
  return row ? (row.dataset.folder ?? parentFolder(row.dataset.path ?? '')) : undefined;
}

function NoFiles() {
  return (
    <p class="hint file-panel-empty">
      {rich(
        'Drop images, styles, scripts, fonts or a whole folder here. The page uses them by name: <code>{example}</code>',
        { code: (text) => <code>{text}</code> },
        { example: '<img src="cat.png">' },
      )}
    </p>
  );
}

interface FootProps {
  pageId: number;
  work: EditedPage;
  row: TreeRow | undefined;
  onAsk: (asking: Asking) => void;
}

/** What can be done with the row that is active. */
function Foot({ pageId, work, row, onAsk }: FootProps) {
  work.watch();
  if (!row) return null;
  const { path, isFolder } = row;
  const inside = [...(work.known.files?.values() ?? [])].filter((file) => isInside(file.path, path));
  const bytes = inside.reduce((sum, { size }) => sum + size, 0);
  const file = work.known.files?.get(path);
  const facts = isFolder
    ? t('{count|{count} file|{count} files} · {size}', {
        count: inside.length,
        size: formatBytes(bytes),
      })
    : file
      ? formatBytes(file.size)
      : path === INDEX_PATH
        ? t('The page itself')
        : t('Not saved yet');
  return (
    <footer class="file-panel-foot">
      <p>
        <strong>{baseName(path)}</strong> <span class="faint">{facts}</span>
      </p>
      {path !== INDEX_PATH && (
        <div class="actions">
          <Button
            kind="bare"
            label={t('Rename {name}', { name: path })}
            onClick={() => onAsk({ kind: 'rename', row })}
          >
            {t('Rename')}
          </Button>
          {file && (
            <Button
              kind="bare"
              label={t('Download {name}', { name: path })}
              onClick={async () => saveFile(baseName(path), await readFile(pageId, path))}
            >
              {t('Download')}
            </Button>
          )}
          <Button
            kind="bare"
            label={t('Delete {name}', { name: path })}
            onClick={() => onAsk({ kind: 'delete', row })}
          >
            {t('Delete')}
          </Button>
        </div>
      )}
    </footer>
  );
}
