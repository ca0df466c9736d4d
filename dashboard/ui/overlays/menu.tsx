import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { place } from './place.ts';

export interface MenuItem {
  label: string;
  icon?: IconName;
  /** A screen of the dashboard, or any other address if it does not start with `/` or `isExternal` is set. */
  href?: string;
  /** Loads the address as a new document. */
  isExternal?: boolean;
  onSelect?: () => unknown;
  isDanger?: boolean;
  disabled?: boolean;
  /** Shown at the end, like a shortcut. */
  note?: string;
  /** Draws a line above. */
  startsGroup?: boolean;
}

interface MenuProps {
  /** The name of the button and the menu for screen readers. */
  label: string;
  items: readonly MenuItem[];
  /** What the button shows; by default an icon with three dots. */
  children?: ComponentChildren;
  class?: string;
  /** Shown as a tooltip. */
  tip?: string;
}

const ENABLED = '[role=menuitem]:not(:disabled)';

/** A button that opens a list of actions. Arrow keys, Home, End and first letters move; Escape closes. */
export function Menu({ label, items, children, class: names = 'button bare', tip }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>(ENABLED) ?? [])];

  // A press on the button closes the open menu before its click arrives, which must not open it again.
  const wasOpen = useRef(false);
  usePopover(list, button, isOpen, () => setOpen(false));
  const select = (item: MenuItem) => {
    list.current?.hidePopover();
    button.current?.focus();
    if (item.onSelect) item.onSelect();
    else if (item.href) item.isExternal ? location.assign(item.href) : navigate(item.href);
  };
  const move = (event: KeyboardEvent) => {
    const all = entries();
    const next = findNext(all, all.indexOf(document.activeElement as HTMLElement), event.key);
    if (event.key === 'Tab') list.current?.hidePopover();
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={names}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        data-tip={isOpen ? undefined : tip}
        onPointerDown={() => {
          wasOpen.current = isOpen;
        }}
        onClick={({ detail }) => setOpen(detail === 0 ? !isOpen : !wasOpen.current)}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div
        id={id}
        class="popup-menu"
        role="menu"
        aria-label={label}
        popover="auto"
        ref={list}
        onKeyDown={move}
      >
        {isOpen && items.map((item) => <Entry key={item.label} item={item} onSelect={() => select(item)} />)}
      </div>
    </>
  );
}

/** Opens the menu beside its button, and reports when the browser closes it: on Escape and on a press elsewhere. */
function usePopover(
  list: RefObject<HTMLElement | null>,
  button: RefObject<HTMLElement | null>,
  isOpen: boolean,
  close: () => void,
): void {
  useEffect(() => {
    const [menu, opener] = [list.current, button.current];
    if (!isOpen || !menu || !opener) return;
    menu.showPopover();
    place(menu, opener);
    menu.querySelector<HTMLElement>(ENABLED)?.focus();
    const toggled = (event: Event) => (event as ToggleEvent).newState === 'closed' && close();
    menu.addEventListener('toggle', toggled);
    addEventListener('resize', close);
    return () => {
      menu.removeEventListener('toggle', toggled);
      removeEventListener('resize', close);
    };
  }, [isOpen]);
}

function Entry({ item, onSelect }: { item: MenuItem; onSelect: () => void }) {
  const { label, icon, href, note, isDanger, disabled, startsGroup } = item;
  const content = (
    <>
      {icon && <Icon name={icon} size={18} />}
      <span>{label}</span>
      {note && <span class="note">{note}</span>}
    </>
  );
  const shared = {
    role: 'menuitem' as const,
    tabIndex: -1,
    class: `${isDanger ? 'danger' : ''} ${startsGroup ? 'group' : ''}`,
  };
  if (href) {
    const follow = (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onSelect();
    };
    return (
      <a {...shared} href={href} onClick={follow}>
        {content}
      </a>
    );
  }
  return (
    <button {...shared} type="button" disabled={disabled} onClick={onSelect}>
      {content}
    </button>
  );
}

/** The entry that a key leads to from the one at `at`. */
function findNext(all: HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key === 'ArrowDown') return all[(at + 1) % all.length];
  if (key === 'ArrowUp') return all.at((at <= 0 ? all.length : at) - 1);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (!/^\S$/.test(key)) return undefined;
  const rotated = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  return rotated.find((entry) => entry.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
}
