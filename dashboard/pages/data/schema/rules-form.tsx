import {
  RULED_ACTIONS,
  RULES,
  type Rule,
  type RuledAction,
  type Rules,
} from '../../../../contract/data/collection-rules.ts';
import type { DataType } from '../../../../contract/rules/storage-modes.ts';
import { Select } from '../../../ui/index.ts';

const NAMES: Record<Rule, string> = {
  anyone: 'Anyone, also without a login',
  user: 'Anyone who is logged in',
  member: 'Members of the team',
  author: 'Only the author',
  admin: 'Admins of the team',
  owner: 'Only you, the owner',
};

/** What holds without a rule. */
const DEFAULTS: Record<DataType, Record<RuledAction, string>> = {
  'solo-data': {
    read: 'the author',
    create: 'anyone who is logged in',
    update: 'the author',
    delete: 'the author',
  },
  'team-data': {
    read: 'the team',
    create: 'members',
    update: 'the author and admins',
    delete: 'the author and admins',
  },
  'social-data': {
    read: 'anyone',
    create: 'anyone who is logged in',
    update: 'the author',
    delete: 'the author and the owner',
  },
};

interface Props {
  type: DataType;
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
      <legend>Rules</legend>
      <p class="hint">
        {type === 'solo-data'
          ? 'Who can use the collection. Everyone still sees only their own records.'
          : 'Who can do what with the records. The owner always can.'}
      </p>
      {RULED_ACTIONS.map((action) => (
        <Select
          key={action}
          label={action[0]?.toUpperCase() + action.slice(1)}
          value={rules[action] ?? ''}
          options={[
            ['', `Default: ${DEFAULTS[type][action]}`],
            ...choicesOf(type, action, rules[action]).map((rule) => [rule, NAMES[rule]] as const),
          ]}
          onChange={(rule) => choose(action, rule as Rule | '')}
        />
      ))}
    </fieldset>
  );
}

/** Only teams have roles, and writing needs a login. What is already chosen is always shown. */
function choicesOf(type: DataType, action: RuledAction, chosen: Rule | undefined): Rule[] {
  return RULES.filter((rule) => {
    if (rule === chosen) return true;
    if (rule === 'anyone') return action === 'read' && type !== 'solo-data';
    if (rule === 'author') return action !== 'create';
    return type === 'team-data' || (rule !== 'member' && rule !== 'admin');
  });
}
