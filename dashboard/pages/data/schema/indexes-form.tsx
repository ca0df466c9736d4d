import { isIndexable, listIndexable } from '../../../../contract/data/index-fields.ts';
import { MAX_INDEXES } from '../../../../contract/rules/limits.ts';
import { t } from '../../../texts/index.ts';
import { Switch } from '../../../ui/index.ts';
import type { CollectionSchema } from '../api.ts';
import { type SchemaDraft, toSchema } from './draft.ts';

interface Props {
  draft: SchemaDraft;
  /** Fields whose index is not ready yet. */
  building: ReadonlySet<string>;
  onChange: (indexes: string[]) => void;
}

/** The fields that have an index. */
export function IndexesForm({ draft, building, onChange }: Props) {
  const { indexes } = draft;
  const { fields } = toSchema(draft) as CollectionSchema;
  // What is already chosen is always shown, so that it can be removed.
  const others = indexes.filter((path) => !isIndexable(fields, path));
  const paths = [...listIndexable(fields), ...others];
  if (paths.length === 0) return null;
  const choose = (path: string, isChosen: boolean) =>
    onChange(isChosen ? [...indexes, path] : indexes.filter((each) => each !== path));
  return (
    <fieldset class="schema-field schema-indexes">
      <legend>{t('Indexes')}</legend>
      <p class="hint">
        {t(
          'Lists that are filtered or ordered by these fields stay fast with many records. {used} of {max} are used.',
          { used: indexes.length, max: MAX_INDEXES },
        )}
      </p>
      {paths.map((path) => (
        <Switch
          key={path}
          label={path}
          {...(building.has(path) && { hint: t('Is being built. Until then, lists work as before.') })}
          checked={indexes.includes(path)}
          disabled={!indexes.includes(path) && indexes.length >= MAX_INDEXES}
          onChange={(checked) => choose(path, checked)}
        />
      ))}
    </fieldset>
  );
}
