import { useState } from 'preact/hooks';
import { MAX_PASSKEY_NAME } from '../../../contract/rules/limits.ts';
import { rich, t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  Dialog,
  Empty,
  Form,
  formatAgo,
  formatMoment,
  Section,
  Show,
  say,
  Table,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { explain, makePasskey, whyNoPasskeys } from '../../webauthn.ts';
import { useProof } from '../proof.tsx';
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  type PasskeyList,
  removePasskey,
  renamePasskey,
  startPasskey,
} from './passkey-api.ts';
import { SecondFactor } from './second-factor.tsx';

/** Passkeys, and whether one is required after the password. */
export function PasskeysScreen() {
  const list = useLoad(listPasskeys, []);
  return <Show loaded={list}>{(value) => <Passkeys list={value} reload={list.reload} />}</Show>;
}

function Passkeys({ list, reload }: { list: PasskeyList; reload: () => Promise<void> }) {
  const { prove, dialog } = useProof();
  const [renaming, setRenaming] = useState<Passkey>();
  const [removing, setRemoving] = useState<Passkey>();
  /** Without it, there is no second factor. */
  const isGuard = list.secondFactor && list.passkeys.length === 1;
  const add = () =>
    prove(async (proof) => {
      const options = await startPasskey(proof);
      const credential = await makePasskey(options).catch((error: unknown) => {
        throw new Error(explain(error));
      });
      say(t('Added the passkey {name}.', { name: (await addPasskey(credential)).name }));
      await reload();
    });
  return (
    <>
      <PasskeyTable rows={list.passkeys} columns={columns(setRenaming, setRemoving)} onAdd={add} />
      <SecondFactor list={list} reload={reload} prove={prove} />
      {renaming && <RenameDialog passkey={renaming} onClose={() => setRenaming(undefined)} onDone={reload} />}
      {removing && (
        <RemoveDialog
          passkey={removing}
          isGuard={isGuard}
          onClose={() => setRemoving(undefined)}
          onRemove={() =>
            prove(async (proof) => {
              await removePasskey(removing.id, proof);
              say(
                isGuard
                  ? t(
                      'The passkey {name} is removed. It was the last one, so your password is enough to log in.',
                      { name: removing.name },
                    )
                  : t('The passkey {name} is removed.', { name: removing.name }),
              );
              await reload();
            })
          }
        />
      )}
      {dialog}
    </>
  );
}

function PasskeyTable({
  rows,
  columns,
  onAdd,
}: {
  rows: Passkey[];
  columns: Array<Column<Passkey>>;
  onAdd: () => Promise<void>;
}) {
  const obstacle = whyNoPasskeys();
  const addButton = (
    <Button onClick={onAdd} disabled={obstacle !== undefined}>
      {t('Add a passkey')}
    </Button>
  );
  return (
    <Section
      title={t('Passkeys')}
      hint={t(
        'Log in with your fingerprint, your face, the PIN of your device or a security key. A passkey works only on this site, so nobody can trick you into using it on another one.',
      )}
      actions={rows.length > 0 && addButton}
    >
      {obstacle && (
        <div class="notice warn" role="status">
          <p>{obstacle}</p>
        </div>
      )}
      {rows.length === 0 ? (
        <Empty icon="key" title={t('No passkeys yet')} action={addButton}>
          {t('Add one in this browser. Many password managers sync it to all your devices.')}
        </Empty>
      ) : (
        <Table caption={t('Passkeys')} rows={rows} getKey={({ id }) => id} columns={columns} />
      )}
    </Section>
  );
}

const columns = (
  onRename: (passkey: Passkey) => void,
  onRemove: (passkey: Passkey) => void,
): Array<Column<Passkey>> => [
  {
    title: t('Name'),
    cell: ({ name, isSynced }) => (
      <>
        <strong>{name}</strong> {isSynced && <Badge>{t('on several devices')}</Badge>}
      </>
    ),
  },
  { title: t('Last used'), cell: ({ lastUsedAt }) => (lastUsedAt ? formatAgo(lastUsedAt) : t('Never')) },
  { title: t('Added'), cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: t('Actions'),
    isActions: true,
    cell: (passkey) => (
      <>
        <Button
          kind="bare"
          label={t('Rename {name}', { name: passkey.name })}
          onClick={() => onRename(passkey)}
        >
          {t('Rename')}
        </Button>
        <Button
          kind="bare"
          label={t('Remove {name}', { name: passkey.name })}
          onClick={() => onRemove(passkey)}
        >
          {t('Remove')}
        </Button>
      </>
    ),
  },
];

interface DialogProps {
  passkey: Passkey;
  onClose: () => void;
}

function RenameDialog({ passkey, onClose, onDone }: DialogProps & { onDone: () => Promise<void> }) {
  const [name, setName] = useState(passkey.name);
  const rename = async () => {
    await renamePasskey(passkey.id, name);
    onClose();
    await onDone();
  };
  return (
    <Dialog title={t('Rename {name}', { name: passkey.name })} onClose={onClose}>
      <Form submit={t('Rename')} disabled={name.trim() === ''} onSubmit={rename} onCancel={onClose}>
        <TextField label={t('Name')} value={name} onInput={setName} maxLength={MAX_PASSKEY_NAME} autofocus />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({
  passkey,
  isGuard,
  onClose,
  onRemove,
}: DialogProps & { isGuard: boolean; onRemove: () => Promise<void> }) {
  const remove = async () => {
    onClose();
    await onRemove();
  };
  return (
    <ConfirmDialog
      title={t('Remove the passkey “{name}”?', { name: passkey.name })}
      action={t('Remove')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {t('You can no longer log in with it. Your device still lists it until you delete it there too.')}
      </p>
      {isGuard && (
        <p>
          {rich(
            '<b>It is your last one.</b> Without it, your password is enough to log in, and your recovery codes stop working.',
            { b: (text) => <strong>{text}</strong> },
          )}
        </p>
      )}
    </ConfirmDialog>
  );
}
