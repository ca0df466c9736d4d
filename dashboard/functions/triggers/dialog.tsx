import { useState } from 'preact/hooks';
import { TRIGGER_ACTIONS } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { Dialog, Form, Select, Switch, say, TextField } from '../../ui/index.ts';
import type { Trigger } from '../api.ts';
import { itemFault } from '../fault.ts';
import { ACTION_NAMES } from './words.ts';

interface Props {
  add: (trigger: Trigger) => Promise<void>;
  onClose: () => void;
}

const FIELDS = ['collection', 'url'] as const;

/** Adds a trigger. */
export function TriggerDialog({ add, onClose }: Props) {
  const [collection, setCollection] = useState('');
  const [actions, setActions] = useState<Trigger['actions']>([...TRIGGER_ACTIONS]);
  const [to, setTo] = useState<'queue' | 'url'>('queue');
  const [url, setUrl] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const submit = async () => {
    setFailure(undefined);
    try {
      await add({ collection, actions, ...(to === 'url' && { url }) });
    } catch (error) {
      setFailure(error);
      // The field shows its own fault.
      if (FIELDS.some((field) => itemFault(error, 'on', field))) return;
      throw error;
    }
    say(t('Added {name}.', { name: collection }));
    onClose();
  };
  const isReady = collection.trim() !== '' && actions.length > 0 && (to === 'queue' || url.trim() !== '');
  return (
    <Dialog title={t('Add a trigger')} onClose={onClose}>
      <Form submit={t('Add')} onSubmit={submit} onCancel={onClose} disabled={!isReady}>
        <TextField
          label={t('Collection')}
          hint={t('As your page names it, for example orders.')}
          error={itemFault(failure, 'on', 'collection')}
          value={collection}
          onInput={setCollection}
          mono
          autofocus
        />
        <Actions actions={actions} onChange={setActions} />
        <Select
          label={t('Sent to')}
          value={to}
          options={[
            ['queue', t('This function')],
            ['url', t('An address')],
          ]}
          onChange={setTo}
        />
        {to === 'url' && <Address url={url} onInput={setUrl} error={itemFault(failure, 'on', 'url')} />}
      </Form>
    </Dialog>
  );
}

type Names = Trigger['actions'];

function Actions({ actions, onChange }: { actions: Names; onChange: (actions: Names) => void }) {
  const toggle = (action: Names[number], isOn: boolean) =>
    onChange(TRIGGER_ACTIONS.filter((each) => (each === action ? isOn : actions.includes(each))));
  return (
    <>
      {TRIGGER_ACTIONS.map((action) => (
        <Switch
          key={action}
          label={ACTION_NAMES[action]()}
          checked={actions.includes(action)}
          onChange={(isOn) => toggle(action, isOn)}
        />
      ))}
    </>
  );
}

function Address(props: { url: string; onInput: (url: string) => void; error: string | undefined }) {
  return (
    <TextField
      label={t('Address')}
      hint={t('It gets a POST for each change, signed with a secret that you see when the trigger is there.')}
      error={props.error}
      value={props.url}
      onInput={props.onInput}
      placeholder="https://"
      mono
    />
  );
}
