import { useEffect, useState } from 'preact/hooks';
import { MAX_SEARCH } from '../../../contract/rules/limits.ts';
import { TextField } from '../fields.tsx';
import { useSettled } from '../loading/settled.ts';

interface Props {
  label: string;
  value: string;
  onSearch: (query: string) => void;
}

/** Searches while somebody types, once they pause. Follows the value when the person goes back. */
export function SearchField({ label, value, onSearch }: Props) {
  const [typed, setTyped] = useState(value);
  const settled = useSettled(typed.trim());
  useEffect(() => {
    if (settled !== value) onSearch(settled);
  }, [settled]);
  useEffect(() => {
    if (value !== typed.trim()) setTyped(value);
  }, [value]);
  return (
    <div class="search-field">
      <TextField
        label={label}
        hideLabel
        type="search"
        placeholder={label}
        maxLength={MAX_SEARCH}
        value={typed}
        onInput={setTyped}
      />
    </div>
  );
}
