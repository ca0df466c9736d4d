import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Editor } from '../../editor/index.tsx';
import { guardLeaving } from '../../router.tsx';
import { say } from '../../ui/index.ts';
import { type Code, type FunctionDetail, patchFunction, readCode } from '../api.ts';
import { faultOf, isConflict } from '../fault.ts';
import { draftsOf } from './drafts.ts';

export interface CodeProps {
  item: FunctionDetail;
  deployed: Code;
  onDeployed: (item: FunctionDetail, deployed: Code) => void;
}

/** The code of a function while it is edited and deployed. */
export function useCode({ item, deployed, onDeployed }: CodeProps) {
  const { slug } = item;
  const drafts = useMemo(() => draftsOf(slug), [slug]);
  const [first] = useState(() => drafts.read() ?? { text: deployed.code, version: deployed.version });
  const [text, setText] = useState(first.text);
  /** The version that the changes are based on. */
  const [base, setBase] = useState(first.version);
  const [failure, setFailure] = useState<Error>();
  const [isDeploying, setDeploying] = useState(false);
  const editor = useRef<Editor>(undefined);
  const isChanged = text !== deployed.code;
  const isUnstored = useUnsavedGuard(slug, isChanged);

  const change = (code: string) => {
    setText(code);
    const isSame = code === deployed.code;
    if (isSame) drafts.discard();
    isUnstored.current = !isSame && !drafts.save({ text: code, version: base, at: Date.now() });
  };

  const deploy = async () => {
    if (isDeploying) return;
    const code = editor.current?.text() ?? text;
    setDeploying(true);
    setFailure(undefined);
    editor.current?.showFaults([]);
    try {
      const patched = await patchFunction(slug, { code, baseVersion: deployed.version });
      const next = await readCode(slug);
      if (editor.current?.text() === code) drafts.discard();
      setBase(next.version);
      onDeployed({ ...item, ...patched }, next);
      const isSame = next.version === deployed.version;
      say(isSame ? `No changes: version ${next.version} is live.` : `Deployed version ${next.version}.`);
    } catch (error) {
      const newer = isConflict(error) && (await readCode(slug).catch(() => undefined));
      // The notice then says that the next deploy replaces it.
      if (newer) return onDeployed(item, newer);
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

  const attach = (ready: Editor) => {
    editor.current = ready;
  };
  return { firstText: first.text, isChanged, base, failure, isDeploying, change, deploy, discard, attach };
}

/**
 * Asks before the window is closed on unsaved code. If the browser could not store the draft, which the caller says
 * through the returned ref, it also asks before the screen is left. Otherwise a message says that the draft is stored.
 */
function useUnsavedGuard(slug: string, isChanged: boolean) {
  const isUnstored = useRef(false);
  const hasChanged = useRef(isChanged);
  hasChanged.current = isChanged;
  useEffect(() => {
    const home = `/functions/${slug}`;
    const isNear = (to: string) => to === home || to.startsWith(`${home}/`);
    const stop = guardLeaving((to) => hasChanged.current && (isUnstored.current || to === undefined));
    return () => {
      stop();
      if (hasChanged.current && !isUnstored.current && !isNear(location.pathname))
        say(`Your changes to ${slug} are stored in this browser. They are not deployed.`);
    };
  }, [slug]);
  return isUnstored;
}
