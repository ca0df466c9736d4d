import { MAX_DISPLAY_NAME } from '../../contract/rules/limits.ts';
import { t } from '../texts/index.ts';
import { Section, Select, Switch, TextField, useLoad } from '../ui/index.ts';
import { listFunctions } from './api.ts';
import { fieldFault } from './fault.ts';

export interface FieldValues {
  slug: string;
  displayName: string;
  /** `none`, `new`, or `SHARED` and the slug of a function. */
  database: string;
  isPublic: boolean;
}

export const SHARED = 'shared:';

interface FieldsProps {
  values: FieldValues;
  change: (some: Partial<FieldValues>) => void;
  slugError: string | undefined;
  /** Why the last deploy failed. */
  failure: unknown;
}

/** The fields of a new function, except its code. */
export function Fields({ values, change, slugError, failure }: FieldsProps) {
  const { slug, displayName, isPublic } = values;
  return (
    <Section title={t('Settings')}>
      <div class="fn-fields">
        <TextField
          label={t('Slug')}
          hint={t('You cannot change it later. The URL is {url}', {
            url: `/api/functions/${slug || 'my-function'}`,
          })}
          error={slugError ?? fieldFault(failure, 'slug')}
          value={slug}
          onInput={(typed) => change({ slug: typed })}
          placeholder="my-function"
          mono
          autofocus
        />
        <TextField
          label={t('Display name')}
          hint={t('Optional. Shown to people instead of the slug.')}
          error={fieldFault(failure, 'displayName')}
          value={displayName}
          onInput={(typed) => change({ displayName: typed })}
          maxLength={MAX_DISPLAY_NAME}
        />
        <DatabaseField
          value={values.database}
          onChange={(database) => change({ database })}
          error={fieldFault(failure, 'useDatabase')}
        />
        <Switch
          label={t('Public')}
          hint={
            isPublic
              ? t(
                  'Anyone can call it once it is deployed, and it is in the list of public functions. You can change this at any time.',
                )
              : t(
                  'Only you can call it, with a token. Pages cannot call it. You can change this at any time.',
                )
          }
          checked={isPublic}
          onChange={(checked) => change({ isPublic: checked })}
        />
      </div>
    </Section>
  );
}

interface DatabaseFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function DatabaseField(props: DatabaseFieldProps) {
  const functions = useLoad(listFunctions, []);
  const sharing = (functions.value ?? []).filter(({ hasDatabase }) => hasDatabase);
  return (
    <Select
      label={t('Database')}
      hint={t('A SQLite database. Your code uses it as env.DB.')}
      options={[
        ['none', t('None')],
        ['new', t('New database')],
        ...sharing.map(({ slug }): [string, string] => [SHARED + slug, t('Shared with {slug}', { slug })]),
      ]}
      {...props}
    />
  );
}
