import { useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { me } from '../../session.ts';
import { Button, Empty, Show, useLoad } from '../../ui/index.ts';
import { screenOf, urlOf } from '../api.ts';
import { hasFunctions, type Progress, publishStarter, STEPS } from './publish.ts';

/** The screen of users without pages. */
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
          <Empty title="No pages yet" action={<Button onClick={makeOwn}>New page</Button>}>
            A page is an HTML document with its own URL. It can call your functions and store data. You can
            also drop a folder or a zip archive here to publish it.
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
      <h2>{isDone ? 'Your first page is published' : 'Publish a page in one click'}</h2>
      <p>
        {isDone
          ? 'It has a page, a function and a database. Your changes go live when you save or deploy them.'
          : 'Start with a guestbook: a public page, a function that it calls, and a database for the entries. You can change all of it.'}
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
              Start with an empty page
            </Button>
          )}
        </div>
      )}
      {!progress && <p>Or drop a folder with an index.html here, or a zip archive of one.</p>}
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
      <a class="button" href={urlOf(page)} target="_blank" rel="noopener">
        Open the page
      </a>
      <Link class="button quiet" href={screenOf(page.id)}>
        Edit the page
      </Link>
      <Link class="button quiet" href={`/functions/${functionSlug}`}>
        Open the function
      </Link>
    </div>
  );
}
