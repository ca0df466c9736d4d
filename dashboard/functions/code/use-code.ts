import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FunctionWarning } from '../../../contract/functions/functions.ts';
import { guardLeaving } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { say } from '../../ui/index.ts';
import { type Code, type FunctionDetail, patchFunction, readCode } from '../api.ts';
import { isConflict, readFault } from '../fault.ts';
import { fromSources, isSame, Modules, type Sources, toSources } from '../modules/index.tsx';
import { openDrafts } from './drafts.ts';

export interface CodeProps {
  item: FunctionDetail;
  deployed: Code;
  /** Gets the modules that are edited. */
  onModules: (modules: Modules) => void;
  onDeployed: (item: FunctionDetail, deployed: Code) => void;
}

/** The code of a function while it is edited and deployed. */
export function useCode({ item, deployed, onModules, onDeployed }: CodeProps) {
  const { slug } = item;
  const drafts = useMemo(() => openDrafts(slug), [slug]);
  const [first] = useState(() => drafts.read(deployed));
  /** The version that the changes are based on. */
  const [base, setBase] = useState(first.version);
  const [failure, setFailure] = useState<Error>();
  /** What may fail in calls of the code that was just deployed. */
  const [warnings, setWarnings] = useState<FunctionWarning[]>([]);
  const [isDeploying, setDeploying] = useState(false);
  const [modules] = useState(() => new Modules(first.sources, (sources) => changed.current(sources)));
  useEffect(() => onModules(modules), [modules]);
  const live = toSources(deployed);
  const isChanged = !isSame(modules.sources.value, live);
  const isUnstored = useUnsavedGuard(slug, isChanged);

  const store = (sources: Sources) => {
    const isBack = isSame(sources, live);
    if (isBack) drafts.discard();
    isUnstored.current = !isBack && !drafts.save(sources, base);
  };
  const changed = useRef(store);
  changed.current = store;

  const deploy = async () => {
    if (isDeploying) return;
    const sources = modules.sources.value;
    setDeploying(true);
    setFailure(undefined);
    setWarnings([]);
    modules.clearFault();
    try {
      const patched = await patchFunction(slug, { ...fromSources(sources), baseVersion: deployed.version });
      const next = await readCode(slug);
      if (modules.sources.value === sources) drafts.discard();
      setBase(next.version);
      setWarnings(patched.warnings ?? []);
      onDeployed({ ...item, ...patched }, next);
      say(deployedText(next.version, deployed.version));
    } catch (error) {
      const newer = isConflict(error) && (await readCode(slug).catch(() => undefined));
      // The notice then says that the next deploy replaces it.
      if (newer) return onDeployed(item, newer);
      setFailure(error as Error);
      const fault = readFault(error);
      if (fault) modules.showFault(fault);
    } finally {
      setDeploying(false);
    }
  };

  const discard = () => {
    setFailure(undefined);
    setBase(deployed.version);
    modules.replace(live);
  };

  const isUnsaved = (path: string) => modules.sources.value[path] !== live[path];
  return { modules, isChanged, isUnsaved, base, failure, warnings, isDeploying, deploy, discard };
}

function deployedText(now: number, before: number): string {
  const version = String(now);
  return now === before
    ? t('No changes: version {version} is live.', { version })
    : t('Deployed version {version}.', { version });
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
        say(t('Your changes to {slug} are stored in this browser. They are not deployed.', { slug }));
    };
  }, [slug]);
  return isUnstored;
}
