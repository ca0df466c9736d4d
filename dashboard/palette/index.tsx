import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { Icon, IconButton } from '../ui/index.ts';
import type { PaletteEntry } from './entries.ts';
import { addRecent } from './recent.ts';
import { ResultList } from './result-list.tsx';
import { useResults } from './use-results.ts';

export type { PaletteEntry } from './entries.ts';

interface Props {
  actions: readonly PaletteEntry[];
  onClose: () => void;
}

/** Searches pages, functions, databases, docs and actions, and opens what somebody chooses. */
export function Palette({ actions, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [{ typed, at }, setState] = useState({ typed: '', at: 0 });
  const setAt = (next: number) => setState({ typed, at: next });
  const id = useId();
  const results = useResults(typed, actions);
  const hits = useMemo(() => [...results.groups.values()].flat(), [results.groups]);
  const current = Math.min(at, hits.length - 1);

  useModal(dialog);
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const choose = (entry: PaletteEntry, inNewTab = false) => {
    onClose();
    if (entry.href && me.value) addRecent(me.value.id, entry);
    open(entry, inNewTab);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const hit = hits[current];
    if (step && hits.length > 0) setAt((current + step + hits.length) % hits.length);
    else if (event.key === 'Enter' && hit) choose(hit.entry, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t('Search')}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A press beside the dialog is a press on its backdrop.
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      <SearchField
        id={id}
        current={hits.length > 0 ? current : undefined}
        value={typed}
        onInput={(value) => setState({ typed: value, at: 0 })}
        onKeyDown={press}
        onClose={onClose}
      />
      <ResultList
        id={id}
        results={results}
        query={typed.trim()}
        current={current}
        onPoint={setAt}
        onChoose={choose}
      />
    </dialog>
  );
}

function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
}

interface FieldProps {
  /** The ids of the list and its options start with it. */
  id: string;
  /** The option that Enter opens; undefined if there is none. */
  current: number | undefined;
  value: string;
  onInput: (value: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onClose: () => void;
}

function SearchField({ id, current, value, onInput, onKeyDown, onClose }: FieldProps) {
  return (
    <div class="palette-field">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-label={t('Search pages, functions, docs and actions')}
        aria-expanded={current !== undefined}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${id}-${current}`}
        placeholder={t('Search or type a command')}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <IconButton icon="close" label={t('Close')} onClick={onClose} />
    </div>
  );
}

function open({ href, run, isExternal }: PaletteEntry, inNewTab: boolean): void {
  if (run) run();
  else if (href && inNewTab) window.open(href, '_blank', 'noopener');
  else if (href && isExternal) location.assign(href);
  else if (href) navigate(href);
}
