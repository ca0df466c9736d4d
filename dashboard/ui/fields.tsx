import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** Hides the label from everyone but screen readers. */
  hideLabel?: boolean;
  children: (attributes: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: true;
  }) => ComponentChildren;
}

/** A label, its control, a hint and an error. */
export function Field({ label, hint, error, hideLabel, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'for-readers' : ''}>
        {label}
      </label>
      {children({
        id,
        ...(describedBy && { 'aria-describedby': describedBy }),
        ...(error && { 'aria-invalid': true as const }),
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="fault" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Pick<FieldProps, 'label' | 'hint' | 'error' | 'hideLabel'> {
  value: string;
  onInput: (value: string) => void;
  type?: 'text' | 'email' | 'password' | 'number' | 'search';
  /** The number of lines; more than one makes it a text area. */
  rows?: number;
  placeholder?: string;
  autocomplete?: 'username' | 'email' | 'current-password' | 'new-password';
  maxLength?: number;
  required?: boolean;
  mono?: boolean;
  autofocus?: boolean;
}

/** A text field with one or more lines. */
export function TextField({
  label,
  hint,
  error,
  hideLabel,
  value,
  onInput,
  rows,
  mono,
  ...rest
}: TextFieldProps) {
  const shared = {
    value,
    class: mono ? 'mono' : '',
    spellcheck: !mono,
    onInput: (event: Event) => onInput((event.target as HTMLInputElement).value),
    placeholder: rest.placeholder,
    maxLength: rest.maxLength,
    required: rest.required,
    autoFocus: rest.autofocus,
  };
  return (
    <Field {...{ label, hint, error }} {...(hideLabel && { hideLabel })}>
      {(attributes) =>
        rows ? (
          <textarea {...attributes} {...shared} rows={rows} />
        ) : (
          <input
            {...attributes}
            {...shared}
            // Preact's types accept one literal here, not a union.
            type={(rest.type ?? 'text') as 'text'}
            autoComplete={rest.autocomplete ?? 'off'}
          />
        )
      }
    </Field>
  );
}

interface SelectProps<Value extends string>
  extends Pick<FieldProps, 'label' | 'hint' | 'error' | 'hideLabel'> {
  value: Value;
  options: ReadonlyArray<readonly [Value, string]>;
  onChange: (value: Value) => void;
}

/** A drop-down list. */
export function Select<Value extends string>({
  label,
  hint,
  error,
  hideLabel,
  value,
  options,
  onChange,
}: SelectProps<Value>) {
  return (
    <Field {...{ label, hint, error }} {...(hideLabel && { hideLabel })}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => onChange((event.target as HTMLSelectElement).value as Value)}
        >
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SwitchProps {
  label: string;
  hint?: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** An on/off switch. */
export function Switch({ label, hint, checked, onChange, disabled }: SwitchProps) {
  const id = useId();
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        {...(hint && { 'aria-describedby': `${id}-hint` })}
        onChange={(event) => onChange((event.target as HTMLInputElement).checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
