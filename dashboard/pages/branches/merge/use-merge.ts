import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLoad, useSettled } from '../../../ui/index.ts';
import type { Branch } from '../api.ts';
import type { BranchChanges, Change } from '../changes/api.ts';
import { listChanges } from '../changes/api.ts';
import { say } from '../changes/words.ts';
import { bring, type From, type Into, type Merged, readStep, undoMerge, type Wish } from './api.ts';
import { keepResult, type Result, readResult } from './result.ts';

const STEP_MS = 1_000;

export interface Merge {
  into: Into;
  /** What differs, with the collections and tables to choose from. */
  found: BranchChanges | undefined;
  /** What would happen as it is chosen now. */
  trial: Merged | undefined;
  /** True while it is worked out again. */
  isTrying: boolean;
  failure: Error | undefined;
  retry(): void;
  /** Conflicts that have been seen, decided or not. */
  conflicts: Change[];
  choices: ReadonlyMap<string, From>;
  choose(paths: string[], from: From): void;
  wish: Omit<Wish, 'take'>;
  change(part: Partial<Omit<Wish, 'take'>>): void;
  /** The step of the merge that runs. */
  step: string | undefined;
  result: Result | undefined;
  /** Why the merge was refused. */
  refusal: Error | undefined;
  start(): Promise<void>;
  undo(): Promise<void>;
  /** Shows again what would happen. */
  dismiss(): void;
}

/** Works out what a merge would do, and does it. */
export function useMerge(branch: Branch, into: Into): Merge {
  const target = into === 'main' ? branch.of : branch.page.id;
  const [choices, setChoices] = useState<ReadonlyMap<string, From>>(new Map());
  const [wish, setWish] = useState<Merge['wish']>({ records: false, tables: [], confirm: false });
  const [run, setRun] = useState(0);
  const { step, setRunning } = useStep(target);
  const take = useMemo(() => [...choices].map(([path, from]) => ({ path, from })), [choices]);
  const asked = useSettled(JSON.stringify({ ...wish, take }));
  const found = useLoad((signal) => listChanges(branch, {}, signal), [branch.name, into, run]);
  const trial = useLoad(
    (signal) => bring(branch, into, JSON.parse(asked), { isTrial: true, signal }),
    [branch.name, into, asked, run],
  );
  const conflicts = useSeen(trial.value?.conflicts);
  const { result, refusal, finish, work } = useWork(branch, setRunning, () => setRun((before) => before + 1));
  return {
    ...{ into, choices, conflicts, wish, step, refusal },
    result: result?.into === into ? result : undefined,
    found: found.value,
    trial: trial.value,
    isTrying: trial.isLoading || asked !== JSON.stringify({ ...wish, take }),
    failure: trial.error ?? found.error,
    retry: () => setRun((before) => before + 1),
    choose(paths, from) {
      setChoices(new Map([...choices, ...paths.map((path) => [path, from] as const)]));
    },
    change: (part) => setWish({ ...wish, ...part }),
    start: () =>
      work(async () => {
        const done = await bring(branch, into, { ...wish, take }, { isTrial: false });
        const { undo, version, summary, rehearsal } = done;
        setChoices(new Map());
        setWish({ records: false, tables: [], confirm: false });
        const notTried = rehearsal?.not_tried ? say(rehearsal.not_tried) : undefined;
        const findings = rehearsal?.findings ?? 0;
        return { into, undo, version, summary: summary.map(say), findings, notTried };
      }),
    undo: () =>
      work(async () => {
        if (!result?.undo) throw new Error('nothing to undo');
        await undoMerge(target, result.undo);
        return { ...result, isUndone: true };
      }),
    dismiss: () => finish(undefined),
  };
}

/** Does something to the page or the branch, and keeps how it has ended. */
function useWork(branch: Branch, setRunning: (isRunning: boolean) => void, onEnd: () => void) {
  const [result, setResult] = useState(() => readResult(branch.page.id));
  const [refusal, setRefusal] = useState<Error>();
  const finish = (next: Result | undefined) => {
    keepResult(branch.page.id, next);
    setResult(next);
  };
  const work = async (action: () => Promise<Result>) => {
    setRefusal(undefined);
    setRunning(true);
    try {
      finish(await action());
    } catch (error) {
      setRefusal(error as Error);
    } finally {
      setRunning(false);
      onEnd();
    }
  };
  return { result, refusal, finish, work };
}

/** Conflicts in the order in which they came up. Those that are decided are no longer in responses. */
function useSeen(latest: Change[] | undefined): Change[] {
  const seen = useRef(new Map<string, Change>());
  for (const change of latest ?? []) seen.current.set(change.path, change);
  return [...seen.current.values()];
}

/** The step of a merge into a page, also of one that somebody else began. */
function useStep(target: number) {
  const [step, setStep] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    // The next look finds what this one missed.
    const look = () => void readStep(target).then(setStep, () => undefined);
    look();
    const timer = setInterval(look, isRunning || step ? STEP_MS : STEP_MS * 15);
    return () => clearInterval(timer);
  }, [target, isRunning, step === undefined]);
  return { step: isRunning ? (step ?? 'rehearsal') : step, setRunning };
}
