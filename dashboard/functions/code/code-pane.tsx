import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CodeEditor, type Editor } from '../../editor/index.tsx';
import { guardLeaving } from '../../router.tsx';
import { Badge, Button, say } from '../../ui/index.ts';
import { type Deployed, type FunctionDetail, patchFunction, readCode } from '../api.ts';
import { Ask } from '../ask.tsx';
import { faultOf } from '../fault.ts';
import { draftsOf } from './drafts.ts';

interface Props {
  item: FunctionDetail;
  deployed: Deployed;
  onDeployed: (item: FunctionDetail, deployed: Deployed) => void;
}

/** The editor of a function's code. What is not deployed stays as a draft until it is, or is discarded. */
export function CodePane({ item, deployed, onDeployed }: Props) {
  const { slug } = item;
  const drafts = useMemo(() => draftsOf(slug), [slug]);
  const [first] = useState(() => drafts.read() ?? { text: deployed.code, version: deployed.version });
  const [text, setText] = useState(first.text);
  const [base, setBase] = useState(first.version);
  const [failure, setFailure] = useState<Error>();
  const [isAsking, setAsking] = useState(false);
  const [isDeploying, setDeploying] = useState(false);
  const editor = useRef<Editor>(undefined);
  const isChanged = text !== deployed.code;
  const isLosable = useUnsavedGuard(slug, isChanged);

  const change = (code: string) => {
    setText(code);
    if (code === deployed.code) {
      drafts.discard();
      isLosable.current = false;
    } else {
      isLosable.current = !drafts.save({ text: code, version: base, at: Date.now() });
    }
  };

  const deploy = async () => {
    if (isDeploying) return;
    const code = editor.current?.text() ?? text;
    setDeploying(true);
    setFailure(undefined);
    editor.current?.showFaults([]);
    try {
      const patched = await patchFunction(slug, { code });
      const next = await readCode(slug);
      if (editor.current?.text() === code) drafts.discard();
      setBase(next.version);
      onDeployed({ ...item, ...patched }, next);
      say(
        next.version === deployed.version
          ? `Nothing has changed; version ${next.version} is deployed.`
          : `Version ${next.version} is deployed.`,
      );
    } catch (error) {
      setFailure(error as Error);
      const fault = faultOf(error);
      if (fault) editor.current?.showFaults([fault]);
    } finally {
      setDeploying(false);
    }
  };

  const discard = () => {
    setFailure(undefined);
    setBase(deployed.version);
    editor.current?.setText(deployed.code);
    editor.current?.showFaults([]);
  };

  return (
    <section class="fn-pane" aria-label="Code">
      <div class="fn-bar">
        <p>
          <span class="faint">
            Version {deployed.version} is live{isChanged && ' · '}
          </span>
          {isChanged && <Badge kind="warn">changes not deployed yet</Badge>}
        </p>
        <div class="actions">
          {isChanged && (
            <Button kind="bare" onClick={() => setAsking(true)}>
              Discard
            </Button>
          )}
          <Button onClick={deploy} disabled={isDeploying} title="Ctrl-S or ⌘S">
            Deploy
          </Button>
        </div>
      </div>
      {isAsking && (
        <Ask
          title="Discard your changes?"
          submit="Discard them"
          onConfirm={discard}
          onClose={() => setAsking(false)}
        >
          The editor goes back to version {deployed.version}, which is live.
        </Ask>
      )}
      {isChanged && base !== deployed.version && (
        <div class="notice warn" role="status">
          <p>
            Your changes began at version {base}; since then version {deployed.version} was deployed.
            Deploying puts yours in its place.
          </p>
        </div>
      )}
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      <CodeEditor
        label="Code"
        language="javascript"
        text={first.text}
        onChange={change}
        onSave={deploy}
        onReady={(ready) => {
          editor.current = ready;
        }}
      />
    </section>
  );
}

/**
 * Asks before the window is closed on unsaved code, and before any other screen when the browser could not keep the
 * draft, which the returned reference tells. A draft that is kept waits here: leaving only says so.
 */
function useUnsavedGuard(slug: string, isChanged: boolean) {
  const isLosable = useRef(false);
  const hasChanged = useRef(isChanged);
  hasChanged.current = isChanged;
  useEffect(() => {
    const home = `/functions/${slug}`;
    const isNear = (to: string) => to === home || to.startsWith(`${home}/`);
    const stop = guardLeaving((to) => hasChanged.current && (isLosable.current || to === undefined));
    return () => {
      stop();
      if (hasChanged.current && !isLosable.current && !isNear(location.pathname))
        say(`Your changes to ${slug} wait in this browser; they are not deployed yet.`);
    };
  }, [slug]);
  return isLosable;
}
