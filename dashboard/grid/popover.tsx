import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  /** The name of the panel for screen readers. */
  label: string;
  /** What the button shows. */
  trigger: ComponentChildren;
  /** The name of the button for screen readers, if it has no text. */
  triggerLabel?: string;
  class?: string;
  disabled?: boolean;
  kind?: 'menu' | 'dialog';
  onClose?: () => void;
  children: (close: () => void) => ComponentChildren;
}

/** A button that opens a small panel beside it. Escape and a click elsewhere close it. */
export function Popover({ label, trigger, triggerLabel, kind = 'dialog', children, ...rest }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    rest.onClose?.();
  };
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        type="button"
        ref={button}
        class={rest.class}
        disabled={rest.disabled}
        aria-haspopup={kind}
        aria-expanded={isOpen}
        {...(triggerLabel && { 'aria-label': triggerLabel, title: triggerLabel })}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        {trigger}
      </button>
      {isOpen && button.current && (
        <Panel label={label} kind={kind} anchor={button.current} onClose={close}>
          {children(close)}
        </Panel>
      )}
    </>
  );
}

interface PanelProps {
  label: string;
  kind: 'menu' | 'dialog';
  anchor: HTMLElement;
  onClose: () => void;
  children: ComponentChildren;
}

const FOCUSABLE = 'input:not(:disabled), select, textarea, button:not(:disabled), [tabindex="0"]';

function Panel({ label, kind, anchor, onClose, children }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  useOnTop(panel, (shown) => place(shown, anchor));
  // The content may change while the panel is open: from a menu to a form.
  useLayoutEffect(() => {
    const shown = panel.current;
    if (!shown) return;
    place(shown, anchor);
    shown.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  }, [kind]);
  useCloseOutside(panel, anchor, onClose);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role, which is a variable
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a name
    <div
      ref={panel}
      popover="manual"
      class={`popover ${kind}`}
      role={kind}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // A dialog below the panel stays open.
        event.preventDefault();
        event.stopPropagation();
        onClose();
        anchor.focus();
      }}
    >
      {children}
    </div>
  );
}

/** Shows a panel above everything else, and keeps it at its place while the person scrolls. */
export function useOnTop(panel: { current: HTMLElement | null }, put: (shown: HTMLElement) => void): void {
  useLayoutEffect(() => {
    const shown = panel.current;
    if (!shown) return;
    shown.showPopover();
    const follow = () => put(shown);
    follow();
    addEventListener('scroll', follow, true);
    addEventListener('resize', follow);
    return () => {
      removeEventListener('scroll', follow, true);
      removeEventListener('resize', follow);
    };
  }, []);
}

/** Closes the panel when the person clicks or moves elsewhere. */
export function useCloseOutside(
  panel: { current: HTMLElement | null },
  anchor: HTMLElement,
  onClose: () => void,
) {
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    const isOutside = (target: EventTarget | null) =>
      target instanceof Node && !panel.current?.contains(target) && !anchor.contains(target);
    const close = (event: Event) => {
      if (isOutside(event.target)) latest.current();
    };
    document.addEventListener('pointerdown', close, true);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('pointerdown', close, true);
      document.removeEventListener('focusin', close);
      // What had the focus is gone.
      if (document.activeElement === document.body) anchor.focus();
    };
  }, [panel, anchor]);
}

/** The space between a panel and its button, and around it. */
export const GAP = 4;

/** Below the button if there is enough space, otherwise above it, and always inside the window. */
function place(panel: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const isBelow = at.bottom + GAP + height <= innerHeight || at.top < innerHeight / 2;
  const top = isBelow ? at.bottom + GAP : at.top - GAP - height;
  panel.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
  panel.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
}
