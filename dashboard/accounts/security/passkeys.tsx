import { useState } from 'preact/hooks';
import { MAX_PASSKEY_NAME } from '../../../contract/rules/limits.ts';
import {
  Badge,
  Button,
  type Column,
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
  const add = () =>
    prove(async (proof) => {
      const options = await startPasskey(proof);
      const credential = await makePasskey(options).catch((error: unknown) => {
        throw new Error(explain(error));
      });
      say(`Added the passkey ${(await addPasskey(credential)).name}.`);
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
          isGuard={list.secondFactor && list.passkeys.length === 1}
          onClose={() => setRemoving(undefined)}
          onRemove={() =>
            prove(async (proof) => {
              say((await removePasskey(removing.id, proof)).message);
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
      Add a passkey
    </Button>
  );
  return (
    <Section
      title="Passkeys"
      hint="Log in with your fingerprint, your face, the PIN of your device or a security key. A passkey works only on this site, so nobody can trick you into using it on another one."
      actions={rows.length > 0 && addButton}
    >
      {obstacle && (
        <div class="notice warn" role="status">
          <p>{obstacle}</p>
        </div>
      )}
      {rows.length === 0 ? (
        <Empty icon="key" title="No passkeys yet" action={addButton}>
          Add one in this browser. Many password managers sync it to all your devices.
        </Empty>
      ) : (
        <Table caption="Passkeys" rows={rows} keyOf={({ id }) => id} columns={columns} />
      )}
    </Section>
  );
}

const columns = (
  onRename: (passkey: Passkey) => void,
  onRemove: (passkey: Passkey) => void,
): Array<Column<Passkey>> => [
  {
    title: 'Name',
    cell: ({ name, isSynced }) => (
      <>
        <strong>{name}</strong> {isSynced && <Badge>on several devices</Badge>}
      </>
    ),
  },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? formatAgo(lastUsedAt) : 'Never') },
  { title: 'Added', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: 'Actions',
    cell: (passkey) => (
      <>
        <Button kind="bare" label={`Rename ${passkey.name}`} onClick={() => onRename(passkey)}>
          Rename
        </Button>
        <Button kind="bare" label={`Remove ${passkey.name}`} onClick={() => onRemove(passkey)}>
          Remove
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
    <Dialog title={`Rename ${passkey.name}`} onClose={onClose}>
      <Form submit="Rename" disabled={name.trim() === ''} onSubmit={rename} onCancel={onClose}>
        <TextField label="Name" value={name} onInput={setName} maxLength={MAX_PASSKEY_NAME} autofocus />
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
    <Dialog title={`Remove ${passkey.name}?`} onClose={onClose}>
      <p>You can no longer log in with it. Your device still lists it until you delete it there too.</p>
      {isGuard && (
        <p>
          <strong>It is your last one.</strong> Without it, your password is enough to log in, and your
          recovery codes stop working.
        </p>
      )}
      <div class="actions">
        <Button kind="danger" onClick={remove}>
          Remove
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
