import {
  isIndexable,
  isSearchable,
  listIndexable,
  listSearchable,
} from '../../../../contract/data/index-fields.ts';
import { MAX_INDEXES, MAX_SEARCH_FIELDS } from '../../../../contract/rules/limits.ts';
import { t } from '../../../texts/index.ts';
import { Switch } from '../../../ui/index.ts';
import type { CollectionSchema } from '../api.ts';
import { type SchemaDraft, toSchema } from './draft.ts';
import type { Building } from './use-building.ts';

interface Props {
  draft: SchemaDraft;
  building: Building;
  onChange: (draft: SchemaDraft) => void;
}

/** The fields that have an index. */
export function IndexesForm({ draft, building, onChange }: Props) {
  const { indexes } = draft;
  return (
    <PathsForm
      legend={t('Indexes')}
      hint={t(
        'Lists that are filtered or ordered by these fields stay fast with many records. {used} of {max} are used.',
        { used: indexes.length, max: MAX_INDEXES },
      )}
      paths={listPaths(draft, indexes, listIndexable, isIndexable)}
      chosen={indexes}
      max={MAX_INDEXES}
      hintFor={(path) => building.indexes.has(path) && t('Is being built. Until then, lists work as before.')}
      onChange={(changed) => onChange({ ...draft, indexes: changed })}
    />
  );
}

/** The texts that are searched. */
export function SearchForm({ draft, building, onChange }: Props) {
  const { search } = draft;
  return (
    <PathsForm
      legend={t('Search')}
      hint={t('Records can be found by the words in these fields. {used} of {max} are used.', {
        used: search.length,
        max: MAX_SEARCH_FIELDS,
      })}
      notice={
        building.search !== undefined &&
        t('The search is being built: {percent} %.', { percent: building.search })
      }
      paths={listPaths(draft, search, listSearchable, isSearchable)}
      chosen={search}
      max={MAX_SEARCH_FIELDS}
      onChange={(changed) => onChange({ ...draft, search: changed })}
    />
  );
}

/** The fields that can be chosen. What is already chosen is always shown, so that it can be removed. */
function listPaths(
  draft: SchemaDraft,
  chosen: string[],
  list: typeof listIndexable,
  isRight: typeof isIndexable,
): string[] {
  const { fields } = toSchema(draft) as CollectionSchema;
  return [...list(fields), ...chosen.filter((path) => !isRight(fields, path))];
}

interface PathsProps {
  legend: string;
  hint: string;
  /** What is said below the hint. */
  notice?: string | false;
  paths: string[];
  chosen: string[];
  max: number;
  hintFor?: (path: string) => string | false;
  onChange: (chosen: string[]) => void;
}

function PathsForm({ legend, hint, notice, paths, chosen, max, hintFor, onChange }: PathsProps) {
  if (paths.length === 0) return null;
  const choose = (path: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, path] : chosen.filter((each) => each !== path));
  return (
    <fieldset class="schema-field schema-paths">
      <legend>{legend}</legend>
      <p class="hint">{hint}</p>
      {notice && (
        <p class="hint" role="status">
          {notice}
        </p>
      )}
      {paths.map((path) => {
        const own = hintFor?.(path);
        return (
          <Switch
            key={path}
            label={path}
            {...(own && { hint: own })}
            checked={chosen.includes(path)}
            disabled={!chosen.includes(path) && chosen.length >= max}
            onChange={(checked) => choose(path, checked)}
          />
        );
      })}
    </fieldset>
  );
}
