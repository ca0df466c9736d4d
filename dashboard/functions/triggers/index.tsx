import { useState } from 'preact/hooks';
import { MAX_TRIGGERS } from '../../../contract/rules/limits.ts';
import { rich, t } from '../../texts/index.ts';
import { Button, type Column, CopyButton, Empty, Section, say, Table } from '../../ui/index.ts';
import { type FunctionDetail, patchFunction, readFunction, type Trigger } from '../api.ts';
import { PageLink } from '../page-link.tsx';
import { TriggerDialog } from './dialog.tsx';
import { ACTION_NAMES } from './words.ts';

interface Props {
  item: FunctionDetail;
  onChange: (item: FunctionDetail) => void;
}

/** The collections whose changes a function gets, or an address. */
export function TriggersPart({ item, onChange }: Props) {
  const [isAdding, setAdding] = useState(false);
  const triggers = item.on ?? [];
  // The API takes the whole list. Others may have changed it since this screen was loaded.
  const change = async (edit: (current: Trigger[]) => Trigger[]) => {
    const { on: current = [] } = await readFunction(item.slug);
    const on = edit(current).map(({ secret: _, ...trigger }) => trigger);
    onChange({ ...item, ...(await patchFunction(item.slug, { on })) });
  };
  const remove = async (trigger: Trigger) => {
    await change((current) => current.filter((each) => toKey(each) !== toKey(trigger)));
    say(t('Removed {name}.', { name: trigger.collection }));
  };
  return (
    <Section
      title={t('Triggers')}
      hint={rich(
        'When records of the function’s page change, your <code>queue(batch, env, ctx)</code> or an address gets each change.',
        { code: (text) => <code>{text}</code> },
      )}
      actions={
        <Button onClick={() => setAdding(true)} disabled={triggers.length >= MAX_TRIGGERS}>
          {t('Add a trigger')}
        </Button>
      }
    >
      {triggers.length > 0 && <Where item={item} />}
      {triggers.length === 0 ? (
        <Empty icon="rows" title={t('No triggers yet')}>
          {t(
            'Export a queue function from your module and deploy it. Then add a trigger for a collection of its page, for example for each new order.',
          )}
        </Empty>
      ) : (
        <div class="fn-triggers stacks">
          <Table caption={t('Triggers')} rows={triggers} getKey={toKey} columns={columns(remove)} />
        </div>
      )}
      {isAdding && (
        <TriggerDialog
          add={(trigger) => change((current) => [...current, trigger])}
          onClose={() => setAdding(false)}
        />
      )}
    </Section>
  );
}

const toKey = ({ collection, url = '' }: Trigger) => `${collection} ${url}`;

/** The page whose records are meant. Without one, nothing happens. */
function Where({ item: { page } }: { item: FunctionDetail }) {
  if (page)
    return (
      <p class="fn-triggers-page">
        <PageLink page={page} />
      </p>
    );
  return (
    <p class="fn-triggers-page fault">
      {t(
        'The function belongs to no page, so it gets no changes. Add it to the functions of a page, in the settings of the page.',
      )}
    </p>
  );
}

const columns = (remove: (trigger: Trigger) => Promise<void>): Array<Column<Trigger>> => [
  { title: t('Collection'), cell: ({ collection }) => <code>{collection}</code> },
  {
    title: t('Changes'),
    cell: ({ actions }) => <>{actions.map((action) => ACTION_NAMES[action]()).join(', ')}</>,
  },
  { title: t('Sent to'), cell: SentTo },
  {
    title: t('Actions'),
    isActions: true,
    cell: (trigger) => (
      <Button
        kind="bare"
        label={t('Remove {name}', { name: trigger.collection })}
        onClick={() => remove(trigger)}
      >
        {t('Remove')}
      </Button>
    ),
  },
];

function SentTo({ url, secret }: Trigger) {
  if (url === undefined) return <>{t('This function')}</>;
  return (
    <>
      <span class="fn-triggers-url">{url}</span>
      {secret === undefined ? (
        <p class="hint fault">
          {t('Its secret cannot be read with the key of this server. Remove the trigger and add it again.')}
        </p>
      ) : (
        <p class="hint fn-triggers-secret">
          {t('Secret that signs it')} <CopyButton text={secret} label={t('Secret that signs it')} />
        </p>
      )}
    </>
  );
}
