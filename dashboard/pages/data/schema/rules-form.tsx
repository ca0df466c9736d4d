import {
  RULED_ACTIONS,
  RULES,
  type Rule,
  type RuledAction,
  type Rules,
} from '../../../../contract/data/collection-rules.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { t } from '../../../texts/index.ts';
import { Select } from '../../../ui/index.ts';

const NAMES: Record<Rule, string> = {
  anyone: t('Anyone, also without a login'),
  user: t('Anyone who is logged in'),
  member: t('Members of the team'),
  author: t('Only the author'),
  admin: t('Admins of the team'),
  owner: t('Only you, the owner'),
};

const ACTION_NAMES: Record<RuledAction, string> = {
  read: t('Read'),
  create: t('Create'),
  update: t('Update'),
  delete: t('Delete'),
};

/** What holds without a rule. */
const DEFAULTS: Record<StorageType, Record<RuledAction, string>> = {
  solo_data: {
    read: t('Default: the author'),
    create: t('Default: anyone who is logged in'),
    update: t('Default: the author'),
    delete: t('Default: the author'),
  },
  team_data: {
    read: t('Default: the team'),
    create: t('Default: members'),
    update: t('Default: the author and admins'),
    delete: t('Default: the author and admins'),
  },
  social_data: {
    read: t('Default: anyone'),
    create: t('Default: anyone who is logged in'),
    update: t('Default: the author'),
    delete: t('Default: the author and the owner'),
  },
};

interface Props {
  type: StorageType;
  rules: Rules;
  onChange: (rules: Rules) => void;
}

/** Who can do what with the records of a collection. */
export function RulesForm({ type, rules, onChange }: Props) {
  const choose = (action: RuledAction, rule: Rule | '') => {
    const { [action]: _, ...others } = rules;
    onChange(rule === '' ? others : { ...others, [action]: rule });
  };
  return (
    <fieldset class="schema-field schema-rules">
      <legend>{t('Rules')}</legend>
      <p class="hint">
        {type === 'solo_data'
          ? t('Who can use the collection. Everyone still sees only their own records.')
          : t('Who can do what with the records. The owner always can.')}
      </p>
      {RULED_ACTIONS.map((action) => (
        <Select
          key={action}
          label={ACTION_NAMES[action]}
          value={rules[action] ?? ''}
          options={[
            ['', DEFAULTS[type][action]],
            ...listChoices(type, action, rules[action]).map((rule) => [rule, NAMES[rule]] as const),
          ]}
          onChange={(rule) => choose(action, rule as Rule | '')}
        />
      ))}
    </fieldset>
  );
}

/** Only teams have roles, and writing needs a login. What is already chosen is always shown. */
function listChoices(type: StorageType, action: RuledAction, chosen: Rule | undefined): Rule[] {
  return RULES.filter((rule) => {
    if (rule === chosen) return true;
    if (rule === 'anyone') return action === 'read' && type !== 'solo_data';
    if (rule === 'author') return action !== 'create';
    return type === 'team_data' || (rule !== 'member' && rule !== 'admin');
  });
}
