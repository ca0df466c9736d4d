import { useState } from 'preact/hooks';
import { Ask, Badge, Button } from '../../ui/index.ts';
import { ModuleDialog, ModuleEditor } from '../modules/index.tsx';
import { type CodeProps, useCode } from './use-code.ts';

/** The code editor of a function. Changes are stored as a draft until they are deployed or discarded. */
export function CodePane(props: CodeProps) {
  const { deployed } = props;
  const code = useCode(props);
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="fn-pane" aria-label="Code">
      <div class="fn-bar">
        <p>
          <span class="faint">
            Version {deployed.version} is live{code.isChanged && ' · '}
          </span>
          {code.isChanged && <Badge kind="warn">Not deployed yet</Badge>}
        </p>
        <div class="actions">
          {code.isChanged && (
            <Button kind="bare" onClick={() => setAsking(true)}>
              Discard changes
            </Button>
          )}
          <Button onClick={code.deploy} disabled={code.isDeploying} title="Ctrl-S or ⌘S">
            Deploy
          </Button>
        </div>
      </div>
      {isAsking && (
        <Ask
          title="Discard your changes?"
          submit="Discard"
          onConfirm={code.discard}
          onClose={() => setAsking(false)}
        >
          The editor returns to version {deployed.version}, which is live.
        </Ask>
      )}
      {code.isChanged && code.base !== deployed.version && (
        <div class="notice warn" role="status">
          <p>
            Your changes are based on version {code.base}, but version {deployed.version} has been deployed
            since. If you deploy, your code replaces it.
          </p>
        </div>
      )}
      {code.failure && (
        <div class="notice bad" role="alert">
          <p>{code.failure.message}</p>
        </div>
      )}
      <ModuleEditor modules={code.modules} isUnsaved={code.isUnsaved} onSave={code.deploy} />
      <ModuleDialog modules={code.modules} />
    </section>
  );
}
