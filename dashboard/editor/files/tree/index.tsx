import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import type { TreeRow } from '../paths.ts';
import { keyTarget } from './keys.ts';

export { useFolders } from './folders.ts';
export { PathDialog } from './path-dialog.tsx';

interface TreeProps {
  /** The name for screen readers. */
  label: string;
  rows: TreeRow[];
  /** The file that is shown in the editor. */
  shown: string;
  /** The row that the keyboard is on, and that the buttons below act on. */
  active: string;
  isOpen: (folder: string) => boolean;
  isUnsaved: (path: string) => boolean;
  /** The folder that files are dragged over; empty for the top. */
  dropFolder?: string | undefined;
  onMove: (path: string) => void;
  onToggle: (folder: string, isOpen: boolean) => void;
  onShow: (path: string) => void;
  onRename: (row: TreeRow) => void;
  onDelete: (row: TreeRow) => void;
}

/** Files as a tree, for the pointer and the arrow keys. */
export function FileTree(props: TreeProps) {
  const { label, rows, shown, active, isOpen, isUnsaved, dropFolder } = props;
  const { onMove, onToggle, onShow } = props;
  const tree = useRef<HTMLDivElement>(null);
  const activate = (row: TreeRow) => {
    onMove(row.path);
    if (row.isFolder) onToggle(row.path, !isOpen(row.path));
    else onShow(row.path);
  };
  /** The row that an event happened in. One listener for all rows, so that they need not be rendered again. */
  const findRow = ({ target }: Event) => {
    const path = (target as Element).closest<HTMLElement>('.file-tree-row')?.dataset.path;
    return rows.find((each) => each.path === path);
  };
  useEffect(() => {
    // Only if the keyboard is in the tree: the active row also changes when files are added.
    if (tree.current?.contains(document.activeElement))
      tree.current.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [active]);
  const isKnown = rows.some(({ path }) => path === active);
  return (
    <div
      ref={tree}
      class="file-tree"
      role="tree"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={(event) => press(event, props, activate)}
      onClick={(event) => {
        const row = findRow(event);
        if (row) activate(row);
      }}
      onFocusCapture={(event) => {
        const row = findRow(event);
        if (row) onMove(row.path);
      }}
    >
      {rows.map((row, at) => (
        <Row
          key={row.path}
          row={row}
          isShown={row.path === shown}
          isOpen={row.isFolder && isOpen(row.path)}
          isUnsaved={!row.isFolder && isUnsaved(row.path)}
          isTarget={row.isFolder && row.path === dropFolder}
          isReachable={isKnown ? row.path === active : at === 0}
        />
      ))}
    </div>
  );
}

/** Moves in the tree, or does something with the active row. */
function press(event: KeyboardEvent, props: TreeProps, activate: (row: TreeRow) => void): void {
  const { rows, active, isOpen, onMove, onToggle, onRename, onDelete } = props;
  const found = rows.findIndex(({ path }) => path === active);
  const at = Math.max(0, found);
  const row = rows[at];
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const acts: Record<string, () => void> = {
    Enter: () => activate(row),
    ' ': () => activate(row),
    F2: () => onRename(row),
    Delete: () => onDelete(row),
  };
  const target = keyTarget(event.key, rows, at, isOpen);
  const act = acts[event.key];
  if (act) act();
  else if (typeof target === 'number') onMove(rows[target]?.path ?? row.path);
  else if (target) onToggle(row.path, target === 'open');
  else return;
  event.preventDefault();
}

interface RowProps {
  row: TreeRow;
  isShown: boolean;
  isOpen: boolean;
  isUnsaved: boolean;
  /** True while files are dragged over it. */
  isTarget: boolean;
  /** True for the one that the Tab key leads to. */
  isReachable: boolean;
}

function Row({ row, isShown, isOpen, isUnsaved, isTarget, isReachable }: RowProps) {
  const { path, name, level, isFolder, place, siblings } = row;
  return (
    <div
      role="treeitem"
      class={`file-tree-row ${isFolder ? 'folder' : 'file'} ${isTarget ? 'target' : ''}`}
      data-path={path}
      data-folder={isFolder ? path : undefined}
      style={{ '--level': level }}
      tabIndex={isReachable ? 0 : -1}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isShown}
      {...(isFolder && { 'aria-expanded': isOpen })}
    >
      <span class="name">{name}</span>
      {isUnsaved && (
        <span class="unsaved" title={t('Unsaved changes')}>
          <span class="for-readers">{t(', not saved')}</span>
        </span>
      )}
    </div>
  );
}

/** The browser returns the focus to the row that a dialog was opened from, which may be gone. */
export const focusTree = () =>
  setTimeout(() => document.querySelector<HTMLElement>('.file-tree [tabindex="0"]')?.focus());
