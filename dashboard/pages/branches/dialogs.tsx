import { useState } from 'preact/hooks';
import { MAX_BRANCH_NAME } from '../../../contract/rules/limits.ts';
import { rich, t } from '../../texts/index.ts';
import { ConfirmDialog, Dialog, Form, say, TextField } from '../../ui/index.ts';
import { type Branch, deleteBranch, renameBranch } from './api.ts';
import { loadBranches, noteDeleted } from './use-branches.ts';
import { toBranchName } from './words.ts';

interface DialogProps {
  branch: Branch;
  onDone?: () => void;
  onClose: () => void;
}

/** Gives a branch another name, which is part of its address. */
export function RenameDialog({ branch, onDone, onClose }: DialogProps) {
  const [name, setName] = useState(branch.name);
  const chosen = name.replace(/-+$/, '');
  const rename = async () => {
    await renameBranch(branch.of, branch.name, chosen);
    await loadBranches(branch.of);
    onClose();
    say(t('Renamed to {name}.', { name: chosen }));
    onDone?.();
  };
  return (
    <Dialog title={t('Rename branch')} onClose={onClose}>
      <Form
        submit={t('Rename')}
        disabled={chosen === '' || chosen === branch.name}
        onSubmit={rename}
        onCancel={onClose}
      >
        <TextField
          label={t('Name')}
          value={name}
          onInput={(typed) => setName(toBranchName(typed).slice(0, MAX_BRANCH_NAME))}
          maxLength={MAX_BRANCH_NAME}
          hint={t('Its address changes too. The names of its functions stay.')}
          autofocus
        />
      </Form>
    </Dialog>
  );
}

/** Asks before a branch is deleted. */
export function DeleteDialog({ branch, onDone, onClose }: DialogProps) {
  const { name, of, page } = branch;
  const remove = async () => {
    noteDeleted(page.id);
    await deleteBranch(of, name);
    await loadBranches(of);
    onClose();
    say(t('Deleted {name}.', { name }));
    onDone?.();
  };
  return (
    <ConfirmDialog
      title={t('Delete the branch {name}?', { name })}
      action={t('Delete branch')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {rich(
          'Everything that was changed on <strong>{name}</strong> is lost, with its functions, databases and records. The page itself stays as it is.',
          { strong: (text) => <strong>{text}</strong> },
          { name },
        )}
      </p>
    </ConfirmDialog>
  );
}
