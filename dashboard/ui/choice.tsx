import { useRef } from 'preact/hooks';
import { useScrollingRow } from './scrolling-row.ts';

interface ChoiceProps<Value> {
  /** The name for screen readers. */
  label: string;
  value: Value;
  options: ReadonlyArray<readonly [Value, string]>;
  onChoose: (value: Value) => void;
  class?: string;
}

/** A row of buttons to choose one of a few views. Where they do not fit, it scrolls and fades at the hidden ends. */
export function Choice<Value extends string | number | boolean>({
  label,
  value,
  options,
  onChoose,
  class: names = '',
}: ChoiceProps<Value>) {
  const row = useRef<HTMLDivElement>(null);
  useScrollingRow(row, '[aria-pressed=true]', value);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div class={`choice ${names}`} role="group" aria-label={label} ref={row}>
      {options.map(([option, name]) => (
        <button key={name} type="button" aria-pressed={option === value} onClick={() => onChoose(option)}>
          {name}
        </button>
      ))}
    </div>
  );
}
