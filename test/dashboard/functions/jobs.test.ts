import { afterEach, beforeAll, expect, test } from 'bun:test';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { readJobs } from '../../support/functions/received-jobs.ts';
import { waitUntil } from '../../support/server.ts';
import { deploy, open } from './deploy.ts';

/** The jobs of a function, in its screen. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('jo-jobs');
  await deploy(stage, owner, 'mailer', {
    code: `export default {
      async fetch(request, env) {
        const body = { to: 'ada@example.com', text: 'A message that is long enough for more than one line on a phone, and then some.' };
        await env.QUEUE.send(body, { key: 'letter 7' });
        await env.QUEUE.send('later', { delaySeconds: 3600 });
        return new Response('sent');
      },
      queue() { throw new Error('The mail server at example.com does not answer'); },
    };`,
  });
});
afterEach(closeTabs);

test('an owner sees the jobs of a function, reads one and deletes it', async () => {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/mailer/jobs');
  await tab.getByText('No job has failed').waitFor();
  await expectReadable(tab);
  expect((await stage.call('POST', '/api/functions/mailer', { body: {} })).status).toBe(200);
  const as = { call: (method: string, path: string) => stage.call(method, path, { token: owner.token }) };
  await waitUntil(async () => {
    const { jobs } = await readJobs(as as Parameters<typeof readJobs>[0], 'mailer');
    return jobs.some(({ error }: { error: string | null }) => error !== null);
  });
  await tab.getByRole('button', { name: /^Waiting/ }).click();
  await tab.getByText('The mail server at example.com does not answer').waitFor();
  await expectReadable(tab);
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
  await tab
    .getByRole('button', { name: /^Show job/ })
    .last()
    .click();
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('"later"').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await tab.getByText('Deleted the job.').waitFor();
  await tab.getByText('"later"').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
