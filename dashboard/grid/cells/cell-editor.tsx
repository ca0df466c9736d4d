import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button } from '../../ui/index.ts';
import { GAP, useCloseOutside, useOnTop } from '../popover.tsx';
import { type CellDraft, EditConflict } from './editing.ts';

/** Where the focus goes afterwards: so many rows and cells further, or where the person has put it. */
export type Move = readonly [rows: number, cells: number] | 'elsewhere';

const STAY: Move = [0, 0];

interface Props {
  anchor: HTMLTableCellElement;
  /** The name of the cell for screen readers. */
  label: string;
  draft: CellDraft;
  /** What the person typed to start, in place of the old value. */
  first: string | undefined;
  onSave: (typed: string | null, isForced: boolean) => Promise<void>;
  onClose: (move: Move) => void;
}

/** An input on top of its cell. Enter and Tab save, Escape takes back, and a click elsewhere saves too. */
export function CellEditor({ anchor, label, draft, first, onSave, onClose }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState(first ?? draft.typed);
  const saving = useSaving(draft, onSave, onClose);
  useOnTop(panel, (shown) => cover(shown, anchor));
  // It grows with what is typed, and when something is wrong.
  useLayoutEffect(() => {
    if (panel.current) cover(panel.current, anchor);
  });
  useLayoutEffect(() => {
    const input = panel.current?.querySelector<HTMLInputElement>('input, textarea, select');
    input?.focus({ preventScroll: true });
    if (input && 'setSelectionRange' in input && input.type !== 'date')
      input.setSelectionRange(input.value.length, input.value.length);
  }, []);
  useCloseOutside(panel, anchor, () => saving.save(typed, 'elsewhere'));
  const onKeyDown = (event: KeyboardEvent) => {
    const move = readKey(event);
    if (!move) return;
    // The keys mean nothing to what is below.
    event.preventDefault();
    event.stopPropagation();
    if (move === 'back') onClose(STAY);
    else void saving.save(typed, move);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the input inside
    <div ref={panel} popover="manual" class="popover cell-editor" onKeyDown={onKeyDown}>
      <CellInput
        {...{ draft, label, typed }}
        isInvalid={saving.fault !== undefined}
        onInput={setTyped}
        onPick={(picked) => void saving.save(picked, STAY)}
      />
      {draft.canBeNull && (
        <button type="button" class="cell-null" onClick={() => void saving.save(null, STAY)}>
          NULL
        </button>
      )}
      {saving.fault && (
        <p class="fault" role="alert">
          {saving.fault}
        </p>
      )}
      {saving.theirs !== undefined && (
        <Conflict
          theirs={saving.theirs}
          onKeep={() => saving.save(typed, STAY, true)}
          onTake={() => onClose(STAY)}
        />
      )}
    </div>
  );
}

/** Saves once, and says why it did not work. */
function useSaving(draft: CellDraft, onSave: Props['onSave'], onClose: Props['onClose']) {
  const [fault, setFault] = useState<string>();
  const [theirs, setTheirs] = useState<string>();
  const isSaving = useRef(false);
  const save = async (typed: string | null, move: Move, isForced = false) => {
    if (isSaving.current) return;
    if (typed === draft.typed && !isForced) return onClose(move);
    // Somebody else's value is on the screen: one of the buttons decides.
    if (theirs !== undefined && !isForced) return;
    isSaving.current = true;
    setFault(undefined);
    try {
      await onSave(typed, isForced);
      onClose(move);
    } catch (error) {
      if (error instanceof EditConflict) setTheirs(error.theirs);
      else setFault((error as Error).message);
    } finally {
      isSaving.current = false;
    }
  };
  return { save, fault, theirs };
}

function readKey({ key, shiftKey, isComposing, altKey }: KeyboardEvent): Move | 'back' | undefined {
  if (isComposing || altKey) return undefined;
  if (key === 'Escape') return 'back';
  if (key === 'Tab') return [0, shiftKey ? -1 : 1];
  return key === 'Enter' && !shiftKey ? [1, 0] : undefined;
}

interface InputProps {
  draft: CellDraft;
  label: string;
  typed: string;
  isInvalid: boolean;
  onInput: (typed: string) => void;
  onPick: (typed: string) => void;
}

const MAX_CHOICES_SHOWN = 8;
const isDay = (typed: string) => /^(\d{4}-\d{2}-\d{2})?$/.test(typed);

function CellInput({ draft, label, typed, isInvalid, onInput, onPick }: InputProps) {
  const { kind, choices = [] } = draft;
  const shared = {
    'aria-label': label,
    value: typed,
    ...(isInvalid && { 'aria-invalid': true as const }),
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  if (kind === 'choice')
    return (
      <select {...shared} size={Math.max(2, Math.min(MAX_CHOICES_SHOWN, choices.length))}>
        {choices.map(([value, name]) => (
          <option key={value} value={value} onClick={() => onPick(value)}>
            {name}
          </option>
        ))}
      </select>
    );
  if (kind === 'date' && isDay(draft.typed) && isDay(typed)) return <input {...shared} type="date" />;
  if (kind === 'number') return <input {...shared} class="number" inputMode="decimal" autoComplete="off" />;
  return <textarea {...shared} rows={1} class={draft.isMono ? 'mono' : ''} spellcheck={!draft.isMono} />;
}

interface ConflictProps {
  theirs: string;
  onKeep: () => Promise<void>;
  onTake: () => void;
}

const MAX_SHOWN = 200;

function Conflict({ theirs, onKeep, onTake }: ConflictProps) {
  const shown = theirs.length > MAX_SHOWN ? `${theirs.slice(0, MAX_SHOWN)}…` : theirs;
  return (
    <div class="cell-conflict" role="alert">
      <p>
        {shown === ''
          ? t('Somebody else has emptied this cell in the meantime.')
          : t('Somebody else has changed this cell in the meantime, to “{value}”.', { value: shown })}
      </p>
      <div class="actions">
        <Button kind="quiet" class="small" onClick={onTake}>
          {t('Take theirs')}
        </Button>
        <Button class="small" onClick={onKeep}>
          {t('Keep mine')}
        </Button>
      </div>
    </div>
  );
}

/** Puts the input on its cell, inside the window. */
function cover(panel: HTMLElement, cell: HTMLElement): void {
  const at = cell.getBoundingClientRect();
  panel.style.minWidth = `${Math.min(at.width + 2, innerWidth - 2 * GAP)}px`;
  const { offsetWidth: width, offsetHeight: height } = panel;
  panel.style.left = `${Math.max(GAP, Math.min(at.left - 1, innerWidth - width - GAP))}px`;
  panel.style.top = `${Math.max(GAP, Math.min(at.top - 1, innerHeight - height - GAP))}px`;
}
