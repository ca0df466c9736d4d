interface ChoiceProps<Value> {
  /** The name for screen readers. */
  label: string;
  value: Value;
  options: ReadonlyArray<readonly [Value, string]>;
  onChoose: (value: Value) => void;
  class?: string;
}

/** A row of buttons to choose one of a few views. */
export function Choice<Value extends string | number | boolean>({
  label,
  value,
  options,
  onChoose,
  class: names = '',
}: ChoiceProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div class={`choice ${names}`} role="group" aria-label={label}>
      {options.map(([option, name]) => (
        <button key={name} type="button" aria-pressed={option === value} onClick={() => onChoose(option)}>
          {name}
        </button>
      ))}
    </div>
  );
}
