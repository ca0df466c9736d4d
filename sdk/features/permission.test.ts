import { expect, test } from 'bun:test';
import { type Answers, Permission, type Question } from './permission.ts';

/** A service that refuses until the test allows it, and a visitor who is asked. */
function stage() {
  const shown: Array<Question['kind'] | 'trying' | 'closed'> = [];
  let answers: Answers = { retry: () => undefined, cancel: () => undefined };
  const permission = new Permission((given) => {
    answers = given;
    return {
      ask: ({ kind }) => shown.push(kind),
      showTrying: () => shown.push('trying'),
      close: () => shown.push('closed'),
    };
  });
  let refusal: object | undefined = { code: 'auth_required' };
  let calls = 0;
  const work = async () => {
    calls++;
    if (refusal) throw Object.assign(new Error('refused'), refusal);
    return 'done';
  };
  return {
    shown,
    run: (signal?: AbortSignal) => permission.run(work, signal),
    answers: () => answers,
    refuseWith(next: object | undefined) {
      refusal = next;
    },
    calls: () => calls,
  };
}

const CONSENT = { code: 'consent_required', consentUrl: 'http://localhost/consent?page=1' };
/** Lets everything run that is not waiting. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a visitor who logs in and then gives consent gets the result', async () => {
  const { run, answers, refuseWith, shown } = stage();
  const outcome = run();
  await settle();
  answers().retry();
  refuseWith(CONSENT);
  await settle();
  refuseWith(undefined);
  answers().retry();
  expect(await outcome).toBe('done');
  expect(shown).toEqual(['login', 'trying', 'consent', 'trying', 'closed']);
});

test('a visitor who cancels gets the refusal, and the next call asks again', async () => {
  const { run, answers, shown } = stage();
  for (const _ of [1, 2]) {
    const outcome = run();
    await settle();
    answers().cancel();
    expect(outcome).rejects.toMatchObject({ code: 'auth_required' });
    await settle();
  }
  expect(shown).toEqual(['login', 'closed', 'login', 'closed']);
});

test('parallel calls share a dialog, which closes after the last of them', async () => {
  const { run, answers, refuseWith, shown, calls } = stage();
  const outcomes = [run(), run(), run()];
  await settle();
  refuseWith(undefined);
  answers().retry();
  answers().retry();
  expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'done']);
  expect(shown).toEqual(['login', 'login', 'login', 'trying', 'closed']);
  expect(calls()).toBe(6);
});

test('cancelling also ends a retry in progress', async () => {
  const { run, answers, shown } = stage();
  const outcome = run();
  await settle();
  answers().retry();
  answers().cancel();
  expect(outcome).rejects.toMatchObject({ code: 'auth_required' });
  await settle();
  expect(shown).toEqual(['login', 'trying', 'closed']);
});

test('an aborted call leaves the dialog to the others', async () => {
  const { run, answers, refuseWith, shown } = stage();
  const stopping = new AbortController();
  const [stopped, other] = [run(stopping.signal), run()];
  await settle();
  stopping.abort();
  expect(stopped).rejects.toThrow('abort');
  await settle();
  expect(shown).toEqual(['login', 'login']);
  refuseWith(undefined);
  answers().retry();
  expect(await other).toBe('done');
  expect(shown.at(-1)).toBe('closed');
});

test('the last aborted call closes the dialog', async () => {
  const { run, shown } = stage();
  const stopping = new AbortController();
  const stopped = run(stopping.signal);
  await settle();
  stopping.abort();
  expect(stopped).rejects.toThrow('abort');
  await settle();
  expect(shown).toEqual(['login', 'closed']);
});

test.each([['insufficient_credits'], ['rate_limited'], ['ai_disabled']])(
  'does not ask the visitor about %s',
  async (code) => {
    const { run, refuseWith, shown, calls } = stage();
    refuseWith({ code });
    expect(run()).rejects.toMatchObject({ code });
    await settle();
    expect(shown).toEqual([]);
    expect(calls()).toBe(1);
  },
);
