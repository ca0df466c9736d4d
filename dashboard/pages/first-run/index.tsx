import { useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { me } from '../../session.ts';
import { Button, Empty, Show, useLoad } from '../../ui/index.ts';
import { addressOf, screenOf } from '../api.ts';
import { hasFunctions, type Progress, publishStarter, STEPS } from './publish.ts';

/** What somebody sees who has no page yet. */
export function FirstRun({ makeOwn }: { makeOwn: () => void }) {
  return me.value ? <Begin username={me.value.username} makeOwn={makeOwn} /> : <Blank />;
}

const Blank = () => <div class="empty page-first" role="status" aria-label="Loading" />;

function Begin({ username, makeOwn }: { username: string; makeOwn: () => void }) {
  const loaded = useLoad(async (signal) => ({ isNew: !(await hasFunctions(username, signal)) }), [username]);
  return (
    <Show loaded={loaded} skeleton={<Blank />}>
      {({ isNew }) =>
        isNew ? (
          <Welcome username={username} makeOwn={makeOwn} />
        ) : (
          <Empty title="No page yet" action={<Button onClick={makeOwn}>New page</Button>}>
            A page is an HTML document with an address of its own. It can call your functions and keep data.
          </Empty>
        )
      }
    </Show>
  );
}

function Welcome({ username, makeOwn }: { username: string; makeOwn: () => void }) {
  const [progress, setProgress] = useState<Progress>();
  const [failure, setFailure] = useState<Error>();
  const start = async () => {
    setFailure(undefined);
    const before = progress ?? { done: 0 };
    setProgress(before);
    await publishStarter(before, username, setProgress).catch(setFailure);
  };
  const isDone = progress?.done === STEPS.length;

  return (
    <div class="empty page-first">
      <h2>{isDone ? 'Your first page is out' : 'Publish something in one click'}</h2>
      <p>
        {isDone
          ? 'A page, a function behind it, and a database behind that. Change either one and it is live.'
          : 'A guestbook: a page that everybody can open, the function behind it, and a database that keeps what people write. It is yours to change.'}
      </p>
      {progress && <Steps done={progress.done} hasFailed={failure !== undefined} />}
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      {isDone ? (
        <Outcome progress={progress} />
      ) : (
        <div class="actions">
          {(!progress || failure) && (
            <Button onClick={start}>{failure ? 'Try again' : 'Publish a starter page and function'}</Button>
          )}
          {!progress && (
            <Button kind="quiet" onClick={makeOwn}>
              Begin with a page of my own
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Steps({ done, hasFailed }: { done: number; hasFailed: boolean }) {
  return (
    <ol class="page-steps" aria-live="polite">
      {STEPS.map((step, index) => {
        const state = index < done ? 'done' : index > done ? 'waiting' : hasFailed ? 'failed' : 'running';
        return (
          <li key={step} class={state}>
            {step}
            <span class="for-readers">: {state}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Outcome({ progress: { page, functionSlug } }: { progress: Progress }) {
  if (!page || !functionSlug) return null;
  return (
    <div class="actions">
      <a class="button" href={addressOf(page)} target="_blank" rel="noopener">
        Open the page
      </a>
      <Link class="button quiet" href={screenOf(page.id)}>
        Edit the page
      </Link>
      <Link class="button quiet" href={`/functions/${functionSlug}`}>
        See the function
      </Link>
    </div>
  );
}
