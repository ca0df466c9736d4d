import { expect, test } from 'bun:test';
import type { Schedule } from '../../../contract/functions/schedules.ts';
import { branchApp, handler } from '../../support/branches/branches.ts';
import { liveApp } from '../../support/data/live.ts';
import { runSql } from '../../support/engines/storage.ts';
import { receiveChanges } from '../../support/functions/received-changes.ts';
import { readJobs } from '../../support/functions/received-jobs.ts';
import { countRuns } from '../../support/functions/scheduled-runs.ts';
import { startSmtp } from '../../support/mail/smtp.ts';
import { waitUntil } from '../../support/server.ts';

/** What functions of a branch do not do to people outside it. */

test('schedules of a branch do not run, and its mail is only in the outbox', async () => {
  const [smtp, counter] = [await startSmtp(), countRuns()];
  const app = await branchApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_SCHEDULED_RUNS_PER_MINUTE: '0' });
  try {
    const { owner, quire, branch, callFrom } = app;
    await runSql(quire, `update users set email_confirmed_at = 1 where id = ${owner.id}`);
    const schedules = [{ cron: '* * * * *' }];
    const digest = await app.deploy(counter.code('digest'), { schedules });
    const mailer = await app.deploy(
      handler(`const { subject } = await request.json();
        await env.MAIL.send({ to: 'owner', subject, text: 'Hello', html: '<b>Hello</b>' });
        return Response.json({ sent: subject });`),
    );
    const page = await owner.publish({ name: 'Apart', functions: [digest, mailer] });
    const made = await branch(page.id, 'quiet');
    const read = async (slug: string): Promise<Schedule> =>
      (await owner.call('GET', `/api/functions/${slug}`)).body.schedules[0];
    expect(await read(`${digest}--quiet`)).toMatchObject({ cron: '* * * * *', lastRun: null });
    for (let run = 1; run <= 2; run++) {
      quire.advance(60_000);
      await counter.until(run);
      await waitUntil(async () => (await read(digest)).lastRun?.result === 'ok');
    }
    expect(new Set(counter.runs).size).toBe(counter.runs.length);
    expect((await read(`${digest}--quiet`)).lastRun).toBeNull();

    expect((await callFrom(made.page.id, mailer, { subject: 'From the branch' })).status).toBe(200);
    expect((await callFrom(page.id, mailer, { subject: 'From the page' })).status).toBe(200);
    await smtp.nextMail('owner@example.com', /From the page/);
    expect(smtp.mails.map(({ subject }) => subject)).not.toContain('From the branch');
    const outbox = `/api/pages/${page.id}/branches/quiet/outbox`;
    const { body } = await owner.call('GET', outbox);
    expect(body.mails).toMatchObject([{ subject: 'From the branch', html: '<b>Hello</b>' }]);
    expect((await app.stranger.call('GET', outbox)).status).toBe(403);
  } finally {
    counter.stop();
    await app.quire.stop();
    await smtp.stop();
  }
});

test('changes of a branch go to its own functions, and to no address', async () => {
  const [queue, address] = [receiveChanges(), receiveChanges()];
  const app = await branchApp();
  try {
    const { owner, branch } = app;
    const actions = ['create'];
    const on = [
      { collection: 'orders', actions },
      { collection: 'orders', actions, url: address.url },
    ];
    const slug = await app.deploy(queue.code(), { on });
    const page = await owner.publish({ name: 'Apart', storage_mode: 'social_app', functions: [slug] });
    const made = await branch(page.id, 'quiet');
    const copy = `${slug}--quiet`;
    const { body: copied } = await owner.call('GET', `/api/functions/${copy}`);
    expect(copied.on).toMatchObject(on);
    const create = (pageId: number, where: string) =>
      owner.call('POST', `/api/pages/${pageId}/social-data/orders`, { body: { data: { where } } });
    expect((await create(made.page.id, 'branch')).status).toBe(201);
    await queue.until((got) => got.length === 1);
    for (const each of [slug, copy]) await waitUntil(async () => (await readJobs(owner, each)).waiting === 0);
    expect((await create(page.id, 'page')).status).toBe(201);
    await queue.until((got) => got.length === 2);
    await address.until((got) => got.length === 1);
    expect(queue.got.map(({ record }) => record?.data.where)).toEqual(['branch', 'page']);
    expect(address.got.map(({ record }) => record?.data.where)).toEqual(['page']);
  } finally {
    queue.stop();
    address.stop();
    await app.quire.stop();
  }
});

test('live messages of a branch reach its own page, and not the page that it is a branch of', async () => {
  const app = await liveApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
  try {
    const owner = await app.user('owner');
    const code = `export default { async fetch(request, env) {
      const { pageId, message } = await request.json();
      const outcome = await env.LIVE.publish(pageId, 'room', message).then(() => 'sent', ({ code }) => code);
      return Response.json({ outcome });
    } };`;
    await owner.call('POST', '/api/functions', { body: { slug: 'tell', code } });
    const page = await owner.publish({ name: 'Live', functions: ['tell'] });
    const branches = `/api/pages/${page.id}/branches`;
    await owner.call('POST', branches, { body: { name: 'try', data: 'all' } });
    await waitUntil(async () => (await owner.call('GET', `${branches}/try`)).body.state === 'ready');
    const branch = (await owner.call('GET', `${branches}/try`)).body.page as { id: number };
    const publish = async (slug: string, pageId: number, message: string) =>
      (await owner.call('POST', `/api/functions/${slug}`, { body: { pageId, message } })).body.outcome;
    const [onPage, onBranch] = [
      await app.connect(page.id, { token: owner.token }),
      await app.connect(branch.id, { token: owner.token }),
    ];
    await onPage.join('room');
    await onBranch.join('room');
    expect(await publish('tell--try', page.id, 'leaked')).toBe('NOT_FOUND');
    expect(await publish('tell--try', branch.id, 'tried')).toBe('sent');
    expect(await publish('tell', page.id, 'published')).toBe('sent');
    expect((await onPage.hear()).message).toBe('published');
    expect((await onBranch.hear()).message).toBe('tried');
    onPage.close();
    onBranch.close();
  } finally {
    await app.stop();
  }
});
