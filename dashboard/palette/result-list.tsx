import { t } from '../texts/index.ts';
import { Button, Icon, Keys } from '../ui/index.ts';
import type { Hit, PaletteEntry } from './entries.ts';
import type { useResults } from './use-results.ts';

interface Props {
  /** The ids of the options start with it. */
  id: string;
  results: ReturnType<typeof useResults>;
  query: string;
  /** The option that Enter opens. */
  current: number;
  onPoint: (at: number) => void;
  onChoose: (entry: PaletteEntry, inNewTab?: boolean) => void;
}

/** What was found, in groups. The focus stays in the field; arrow keys move the current option. */
export function ResultList({ id, results, query, current, onPoint, onChoose }: Props) {
  const { groups, isLoading, hasFailed, retry } = results;
  let at = -1;
  return (
    <>
      <div class="palette-list" role="listbox" id={`${id}-list`} aria-label={t('Results')}>
        {[...groups].map(([group, hits]) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a listbox
          <div key={group} role="group" aria-label={group}>
            <div class="palette-group" aria-hidden="true">
              {group}
            </div>
            {hits.map((hit) => {
              at += 1;
              const position = at;
              return (
                <Option
                  key={hit.entry.id}
                  id={`${id}-${position}`}
                  hit={hit}
                  isCurrent={position === current}
                  onPoint={() => onPoint(position)}
                  onChoose={(inNewTab) => onChoose(hit.entry, inNewTab)}
                />
              );
            })}
          </div>
        ))}
      </div>
      <div class="palette-foot">
        <span role="status">{describeStatus(groups.size === 0, isLoading, hasFailed, query)}</span>
        {hasFailed && !isLoading && (
          <Button kind="bare" onClick={retry}>
            {t('Try again')}
          </Button>
        )}
        {!hasFailed && (
          <span class="palette-hints" aria-hidden="true">
            <kbd>↑</kbd> <kbd>↓</kbd> {t('to move')} <Keys keys="Enter" /> {t('to open')}
          </span>
        )}
      </div>
    </>
  );
}

function describeStatus(isEmpty: boolean, isLoading: boolean, hasFailed: boolean, query: string): string {
  if (isLoading) return t('Searching…');
  if (hasFailed) return t('Some results are missing, because the service cannot be reached.');
  return isEmpty ? t('Nothing found for “{query}”.', { query }) : '';
}

interface OptionProps {
  id: string;
  hit: Hit;
  isCurrent: boolean;
  onPoint: () => void;
  onChoose: (inNewTab: boolean) => void;
}

function Option({ id, hit: { entry, letters }, isCurrent, onPoint, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the current option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={id}
      class="palette-option"
      role="option"
      aria-selected={isCurrent}
      onPointerMove={onPoint}
      onClick={(event) => onChoose(event.ctrlKey || event.metaKey)}
    >
      <Icon name={entry.icon} size={18} />
      <span class="palette-label">
        <Marked text={entry.label} letters={letters} />
      </span>
      {entry.note && <span class="palette-note">{entry.note}</span>}
      {entry.keys && <Keys keys={entry.keys} />}
    </div>
  );
}

/** The text with the letters that fit in bold. */
function Marked({ text, letters }: { text: string; letters: Set<number> }) {
  if (letters.size === 0) return <>{text}</>;
  const runs: Array<{ text: string; isFit: boolean; at: number }> = [];
  for (const [at, letter] of text.split('').entries()) {
    const isFit = letters.has(at);
    const last = runs.at(-1);
    if (last?.isFit === isFit) last.text += letter;
    else runs.push({ text: letter, isFit, at });
  }
  return <>{runs.map(({ text: run, isFit, at }) => (isFit ? <b key={at}>{run}</b> : run))}</>;
}
