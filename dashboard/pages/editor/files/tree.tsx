import { useEffect, useRef } from 'preact/hooks';
import type { TreeRow } from '../../files/tree.ts';
import { keyTarget } from './tree-keys.ts';

interface TreeProps {
  rows: TreeRow[];
  /** The file that is shown in the editor. */
  shown: string;
  /** The row that the keyboard is on, and that the buttons below act on. */
  active: string;
  isOpen: (folder: string) => boolean;
  isUnsaved: (path: string) => boolean;
  /** The folder that files are dragged over; empty for the top. */
  dropFolder: string | undefined;
  onMove: (path: string) => void;
  onToggle: (folder: string, isOpen: boolean) => void;
  onShow: (path: string) => void;
  onRename: (row: TreeRow) => void;
  onDelete: (row: TreeRow) => void;
}

/** The files of a page as a tree, for the pointer and the arrow keys. */
export function FileTree(props: TreeProps) {
  const { rows, active, isOpen, onMove, onToggle, onShow, onRename, onDelete } = props;
  const tree = useRef<HTMLDivElement>(null);
  const activate = (row: TreeRow) => {
    onMove(row.path);
    if (row.isFolder) onToggle(row.path, !isOpen(row.path));
    else onShow(row.path);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Math.max(
      0,
      rows.findIndex(({ path }) => path === active),
    );
    const row = rows[at];
    if (!row) return;
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
  };
  useEffect(() => {
    // Only if the keyboard is in the tree: the active row also changes when files are added.
    if (tree.current?.contains(document.activeElement))
      tree.current.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [active]);
  const isKnown = rows.some(({ path }) => path === active);
  return (
    <div ref={tree} class="page-tree" role="tree" aria-label="Files of the page" onKeyDown={press}>
      {rows.map((row, at) => (
        <Row
          key={row.path}
          row={row}
          {...props}
          isReachable={isKnown ? row.path === active : at === 0}
          onActivate={() => activate(row)}
        />
      ))}
    </div>
  );
}

interface RowProps extends Pick<TreeProps, 'shown' | 'isOpen' | 'isUnsaved' | 'dropFolder' | 'onMove'> {
  row: TreeRow;
  isReachable: boolean;
  onActivate: () => void;
}

function Row({ row, shown, isOpen, isUnsaved, dropFolder, isReachable, onMove, onActivate }: RowProps) {
  const { path, name, level, isFolder, place, siblings } = row;
  const isTarget = isFolder && dropFolder === path;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows
    <div
      role="treeitem"
      class={`page-tree-row ${isFolder ? 'folder' : 'file'} ${isTarget ? 'target' : ''}`}
      data-path={path}
      data-folder={isFolder ? path : undefined}
      style={{ '--level': level }}
      tabIndex={isReachable ? 0 : -1}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={!isFolder && path === shown}
      {...(isFolder && { 'aria-expanded': isOpen(path) })}
      onFocus={() => onMove(path)}
      onClick={onActivate}
    >
      <span class="name">{name}</span>
      {!isFolder && isUnsaved(path) && (
        <span class="unsaved" title="Unsaved changes">
          <span class="for-readers">, not saved</span>
        </span>
      )}
    </div>
  );
}
