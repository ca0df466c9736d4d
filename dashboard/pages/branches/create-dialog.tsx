import { useState } from 'preact/hooks';
import { MAX_BRANCH_NAME } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { Dialog, Form, Select, say, TextField, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { listMoments } from '../history/api.ts';
import { formatExact, sayMoment } from '../history/words.ts';
import { type Branch, type BranchData, type BranchList, createBranch } from './api.ts';
import { loadBranches } from './use-branches.ts';
import { DATA_WORDS, toBranchName } from './words.ts';

interface CreateProps {
  page: PageDetail;
  list: BranchList | undefined;
  onMade: (branch: Branch) => void;
  onClose: () => void;
}

/** Moments to choose from, the latest first. */
const MAX_MOMENTS = 100;
const ORDER: BranchData[] = ['all', 'masked', 'schema'];

/** Makes a branch: what it is called, when it starts, and what it has of the data. */
export function CreateDialog({ page, list, onMade, onClose }: CreateProps) {
  const [name, setName] = useState('');
  const [at, setAt] = useState('');
  const [data, setData] = useState<BranchData>('all');
  const hasData = page.storageMode !== 'page' || page.functions.length > 0;
  const chosen = name.replace(/-+$/, '');
  const isTaken = list?.branches.some((branch) => branch.name === chosen) ?? false;
  const create = async () => {
    const made = await createBranch(page.id, { name: chosen, data, ...(at && { at }) });
    await loadBranches(page.id);
    onClose();
    say(t('You are on the branch {name} now.', { name: made.name }));
    onMade(made);
  };
  return (
    <Dialog title={t('New branch')} onClose={onClose}>
      {list && list.branches.length >= list.limit ? (
        <p class="notice warn" role="alert">
          {t('This page has {count} branches, and it can have no more. Delete one that you no longer need.', {
            count: list.limit,
          })}
        </p>
      ) : (
        <Form
          submit={t('Make branch')}
          disabled={chosen === '' || isTaken}
          onSubmit={create}
          onCancel={onClose}
        >
          <p class="hint branch-about">
            {t(
              'A copy of the page with everything that belongs to it. Try changes there: the page itself stays as it is.',
            )}
          </p>
          <TextField
            label={t('Name')}
            value={name}
            onInput={(typed) => setName(toBranchName(typed).slice(0, MAX_BRANCH_NAME))}
            maxLength={MAX_BRANCH_NAME}
            placeholder={t('new-menu')}
            hint={t('Its address is {path}. Only your team can see it.', {
              path: `/p/${page.slug}--${chosen || t('new-menu')}`,
            })}
            error={isTaken ? t('There is a branch {name} already.', { name: chosen }) : undefined}
            autofocus
          />
          <MomentChoice pageId={page.id} value={at} onChange={setAt} />
          {hasData && <DataChoice value={data} onChange={setData} />}
        </Form>
      )}
    </Dialog>
  );
}

interface ChoiceProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
}

function MomentChoice({ pageId, value, onChange }: ChoiceProps<string> & { pageId: number }) {
  // Without earlier moments there is only now.
  const { value: found } = useLoad((signal) => listMoments(pageId, {}, signal), [pageId]);
  const moments = found?.moments.slice(0, MAX_MOMENTS) ?? [];
  if (moments.length === 0) return null;
  const options = moments.map(
    (moment) => [moment.at, `${formatExact(moment.at)}: ${sayMoment(moment)}`] as const,
  );
  return (
    <Select
      label={t('Starts from')}
      value={value}
      options={[['', t('The page as it is now')], ...options]}
      onChange={onChange}
    />
  );
}

function DataChoice({ value, onChange }: ChoiceProps<BranchData>) {
  return (
    <fieldset class="page-options">
      <legend>{t('Records and tables')}</legend>
      {ORDER.map((data) => (
        <label key={data}>
          <input type="radio" name="branch-data" checked={data === value} onChange={() => onChange(data)} />
          <strong>{DATA_WORDS[data].title}</strong>
          <span class="hint">{DATA_WORDS[data].about}</span>
        </label>
      ))}
    </fieldset>
  );
}
