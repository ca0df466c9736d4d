import { useId, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Dialog, Section } from '../../ui/index.ts';
import type { PageDetail, StorageMode } from '../api.ts';
import { MODE_NAMES, MODE_WORDS } from '../status.tsx';
import type { Apply } from './apply.ts';

const HINTS: Record<StorageMode, string> = {
  page: t('Stores no data. The page can still call functions.'),
  solo_app: t('Each visitor who logs in has private data.'),
  team_app: t('The members of a team share data. Their role decides what they can do.'),
  social_app: t('Data is public. Anyone can read it. Visitors who log in can add data and edit their own.'),
};
const MODES = Object.keys(HINTS) as StorageMode[];

/** What a change of the mode means for the data. */
function consequence(from: StorageMode, to: StorageMode): string {
  if (from === 'page') return t('The page stores no data now. {change}', { change: HINTS[to] });
  const kept = t(
    'What it stored as a {mode} is kept, but scripts cannot use it until you change the mode back.',
    { mode: MODE_WORDS[from] },
  );
  return to === 'page' ? `${t('The page then stores no data.')} ${kept}` : `${HINTS[to]} ${kept}`;
}

/** What data the page stores, and who can use it. */
export function StorageSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const [wanted, setWanted] = useState<StorageMode>();
  const id = useId();
  const change = async () => {
    await apply({ storage_mode: wanted ?? page.storageMode });
    setWanted(undefined);
  };
  return (
    <Section
      id="storage"
      title={t('Storage mode')}
      hint={t('What data the page stores, and which SDK object its scripts use.')}
    >
      <fieldset class="page-options">
        <legend class="for-readers">{t('Storage mode')}</legend>
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
          title={t('Change the mode to {mode}?', { mode: MODE_WORDS[wanted] })}
          onClose={() => setWanted(undefined)}
        >
          <p>{consequence(page.storageMode, wanted)}</p>
          <div class="actions">
            <Button onClick={change}>{t('Change mode')}</Button>
            <Button kind="quiet" onClick={() => setWanted(undefined)}>
              {t('Cancel')}
            </Button>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
