import { keepAlpha, toHex } from '../colors.ts';

interface SwatchProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** The name for screen readers; by default the label. */
  spoken?: string;
  /** Shows more about it at the end. */
  isWide?: boolean;
  note?: string;
}

/** A color that opens the picker of the browser. */
export function Swatch({ label, value, onInput, spoken = label, isWide, note }: SwatchProps) {
  const change = (event: Event) => onInput(keepAlpha((event.target as HTMLInputElement).value, value));
  return (
    <label class={`visual-swatch ${isWide ? 'wide' : ''}`} title={spoken}>
      <span class="visual-swatch-color" style={{ '--swatch': value }}>
        <input
          type="color"
          value={toHex(value)}
          aria-label={note ? `${spoken}, ${note}` : spoken}
          onInput={change}
        />
      </span>
      <span class="visual-swatch-name">{label}</span>
      {isWide && note && <span class="visual-swatch-note">{note}</span>}
    </label>
  );
}
