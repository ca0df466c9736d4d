import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { say } from '../overlays/toasts.tsx';

interface NameProps {
  name: string;
  maxLength: number;
  onRename: (name: string) => Promise<unknown>;
}

/** The name of what the screen is about. A press on it makes it a field. */
export function EditableName({ name, maxLength, onRename }: NameProps) {
  const [typed, setTyped] = useState<string>();
  const save = async () => {
    const next = typed?.trim();
    setTyped(undefined);
    if (!next || next === name) return;
    await onRename(next).catch((error: Error) => {
      setTyped(next);
      say(error.message, 'bad');
    });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    setTyped(undefined);
  };
  if (typed === undefined)
    return (
      <h1 class="bar-name">
        <button type="button" dir="auto" title={t('Rename {name}', { name })} onClick={() => setTyped(name)}>
          {name}
        </button>
      </h1>
    );
  return (
    <input
      ref={(field) => field?.focus()}
      class="bar-rename"
      dir="auto"
      aria-label={t('Name')}
      value={typed}
      maxLength={maxLength}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={press}
      onBlur={save}
    />
  );
}
