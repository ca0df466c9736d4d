import { useId, useState } from 'preact/hooks';
import { Button, Dialog, Section } from '../../ui/index.ts';
import type { PageDetail, StorageMode } from '../api.ts';
import { MODE_NAMES } from '../status.tsx';
import type { Apply } from './apply.ts';

const HINTS: Record<StorageMode, string> = {
  page: 'Keeps no data. It can still call functions.',
  solo_app: 'Every visitor who logs in keeps data that only they see.',
  team_app: 'The members of a team share data, each by their role.',
  social_app: 'Data is public: everybody reads, those who log in write and own what they wrote.',
};
const MODES = Object.keys(HINTS) as StorageMode[];

/** What data the page keeps, and for whom. */
export function StorageSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const [wanted, setWanted] = useState<StorageMode>();
  const id = useId();
  const change = async () => {
    await apply({ storage_mode: wanted ?? page.storageMode });
    setWanted(undefined);
  };
  return (
    <Section title="Storage mode" hint="Which data the page keeps, and which global its script finds.">
      <fieldset class="page-options">
        <legend class="for-readers">Storage mode</legend>
        {MODES.map((mode) => (
          <label key={mode}>
            <input
              type="radio"
              name={id}
              checked={(wanted ?? page.storageMode) === mode}
              aria-describedby={`${id}-${mode}`}
              onChange={() => setWanted(mode === page.storageMode ? undefined : mode)}
            />
            <strong>{MODE_NAMES[mode]}</strong>
            <span class="hint" id={`${id}-${mode}`}>
              {HINTS[mode]}
            </span>
          </label>
        ))}
      </fieldset>
      {wanted && (
        <Dialog
          title={`Change the mode to ${MODE_NAMES[wanted].toLowerCase()}?`}
          onClose={() => setWanted(undefined)}
        >
          <p>
            What the page keeps as {MODE_NAMES[page.storageMode].toLowerCase()} stays, but cannot be reached
            until you change the mode back. A script that uses the data of the old mode will fail.
          </p>
          <div class="actions">
            <Button onClick={change}>Change the mode</Button>
            <Button kind="quiet" onClick={() => setWanted(undefined)}>
              Cancel
            </Button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
