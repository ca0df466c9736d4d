import { expect, test } from 'bun:test';
import { SetupReminder } from './setup-reminder.ts';

const LINK = 'http://localhost:3000/setup?code=abc';
const HOUR = 3600 * 1000;

function remind() {
  const printed: string[] = [];
  let now = HOUR;
  let isOpen: boolean | Error = true;
  const answer = async () => {
    if (isOpen instanceof Error) throw isOpen;
    return isOpen;
  };
  const reminder = new SetupReminder(
    LINK,
    answer,
    (line) => printed.push(line),
    () => now,
  );
  return {
    printed,
    async open(path = '/login', afterMs = 0) {
      now += afterMs;
      reminder.remind(path);
      await Promise.resolve();
      await Promise.resolve();
    },
    set(next: boolean | Error) {
      isOpen = next;
    },
  };
}

test('prints the link in one line when a screen is opened, and not again for ten minutes', async () => {
  const { printed, open } = remind();
  await open();
  await open('/', 10 * 60_000 - 1);
  expect(printed).toEqual([`  There is no administrator yet. To become one, open ${LINK}`]);
  await open('/', 1);
  expect(printed).toHaveLength(2);
});

test('prints at most 20 reminders', async () => {
  const { printed, open } = remind();
  for (let each = 0; each < 25; each++) await open('/', HOUR);
  expect(printed).toHaveLength(20);
});

test('prints nothing for the setup screen itself, and nothing once there is an administrator', async () => {
  const { printed, open, set } = remind();
  await open('/setup');
  expect(printed).toEqual([]);
  set(new Error('the database does not answer'));
  await open('/', HOUR);
  expect(printed).toEqual([]);
  set(false);
  await open('/', HOUR);
  set(true);
  await open('/', HOUR);
  expect(printed).toEqual([]);
});
