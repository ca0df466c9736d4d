/** The parts of the find panel. It belongs to the code editor, which has elements of its own and no components. */

export function field(label: string, name: string): HTMLInputElement {
  const made = document.createElement('input');
  made.type = 'text';
  made.name = name;
  made.placeholder = label;
  made.spellcheck = false;
  made.autocomplete = 'off';
  made.setAttribute('aria-label', label);
  return made;
}

export function button(shown: string, label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = shown;
  if (shown !== label) {
    made.setAttribute('aria-label', label);
    made.dataset.tip = label;
    made.className = 'sign';
  }
  made.addEventListener('click', act);
  return made;
}

/** A button that stays pressed. */
export function toggle(shown: string, label: string): HTMLButtonElement {
  const made = button(shown, label, () => undefined);
  made.setAttribute('aria-pressed', 'false');
  return made;
}
