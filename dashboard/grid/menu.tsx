export interface MenuItem {
  label: string;
  onChoose: () => void;
  /** Marks one of several alternatives. */
  isChosen?: boolean;
  /** The panel stays open, because the item changes what it shows. */
  keepsOpen?: boolean;
}

/** A list of actions in a panel. The arrow keys move through them. */
export function MenuItems({ items, onDone }: { items: MenuItem[]; onDone: () => void }) {
  return (
    <ul class="menu-items" role="none" onKeyDown={moveFocus}>
      {items.map(({ label, onChoose, isChosen, keepsOpen }) => (
        <li key={label} role="none">
          <button
            type="button"
            {...(isChosen === undefined
              ? { role: 'menuitem' as const }
              : { role: 'menuitemradio' as const, 'aria-checked': isChosen })}
            onClick={() => {
              if (!keepsOpen) onDone();
              onChoose();
            }}
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(event: KeyboardEvent): void {
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const step = STEPS[event.key];
  let next: number;
  if (step) next = (at + step + buttons.length) % buttons.length;
  else if (event.key === 'Home') next = 0;
  else if (event.key === 'End') next = buttons.length - 1;
  else return;
  event.preventDefault();
  buttons[next]?.focus();
}
