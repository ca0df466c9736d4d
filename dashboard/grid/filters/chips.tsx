import type { ComponentChildren } from 'preact';
import { t } from '../../texts/index.ts';
import { Choice, Icon } from '../../ui/index.ts';
import type { FilterColumn } from '../columns.ts';
import { Popover } from '../popover.tsx';
import { type Condition, type Filter, sayCondition } from './conditions.ts';
import { FilterPanel } from './panel.tsx';

interface Props {
  columns: FilterColumn[];
  filter: Filter;
  onChange: (filter: Filter) => void;
  /** Also accepts names that are not in the list, such as paths to nested fields. */
  isOpen?: boolean;
  /** Shown behind the chips. */
  children?: ComponentChildren;
}

/** The conditions of a filter, each as a chip to edit or remove. */
export function FilterChips({ columns, filter, onChange, isOpen = false, children }: Props) {
  const { match, conditions } = filter;
  const replace = (at: number, ...by: Condition[]) =>
    onChange({ match, conditions: conditions.toSpliced(at, 1, ...by) });
  return (
    <div class="filters">
      {conditions.length > 0 && (
        <ul class="chips" aria-label={t('Filters')}>
          {conditions.map((condition, at) => (
            <Chip
              key={JSON.stringify(condition)}
              {...{ columns, condition, isOpen }}
              onApply={(changed) => replace(at, changed)}
              onRemove={() => replace(at)}
            />
          ))}
        </ul>
      )}
      <Popover label={t('Add a filter')} trigger={t('Add filter')} class="button quiet small">
        {(close) => (
          <FilterPanel
            {...{ columns, isOpen }}
            onApply={(condition) => {
              close();
              onChange({ match, conditions: [...conditions, condition] });
            }}
          />
        )}
      </Popover>
      {conditions.length > 1 && (
        <Choice
          label={t('Rows that match')}
          value={match}
          options={[
            ['all', t('Match all')],
            ['any', t('Match any')],
          ]}
          onChoose={(chosen) => onChange({ match: chosen, conditions })}
        />
      )}
      {children}
    </div>
  );
}

interface ChipProps {
  columns: FilterColumn[];
  condition: Condition;
  isOpen: boolean;
  onApply: (condition: Condition) => void;
  onRemove: () => void;
}

function Chip({ columns, condition, isOpen, onApply, onRemove }: ChipProps) {
  const words = sayCondition(condition, columns.find(({ key }) => key === condition.field)?.type);
  return (
    <li class="chip">
      <Popover label={t('Edit this filter')} trigger={<span>{words}</span>} class="chip-words">
        {(close) => (
          <FilterPanel
            {...{ columns, condition, isOpen }}
            onApply={(changed) => {
              close();
              onApply(changed);
            }}
            onRemove={onRemove}
          />
        )}
      </Popover>
      <button type="button" aria-label={t('Remove filter: {words}', { words })} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </li>
  );
}
