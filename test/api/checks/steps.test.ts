import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { untilDecided } from '../../support/http/call.ts';

/** What somebody does on a page during a check, and who that can be. */

const FORM = `<!doctype html><html lang="en"><title>Order</title><body>
<h1>Order</h1>
<form>
  <label>Title <input name="title" value="old"></label>
  <label>Day <input type="date" name="day"></label>
  <label>Size <select name="size"><option>S</option><option>L</option></select></label>
  <label><input type="checkbox" name="gift"> Gift</label>
  <button type="button" disabled>Later</button>
  <button>Add item</button>
</form>
<p id="out">nothing</p>
<a href="about.html">About us</a>
<script>
  document.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    const sent = JSON.stringify(Object.fromEntries(new FormData(event.target)));
    setTimeout(() => { out.textContent = 'Added ' + sent; }, 300);
  });
  addEventListener('keydown', ({ key }) => { if (key === 'Escape') out.textContent = 'Escaped'; });
</script>`;

const BOARD = `<!doctype html><html lang="en"><title>Board</title><body>
<p id="who"></p><button onclick="add()">Add</button><ul id="cards"></ul>
<script type="module">
  const me = await PageUser.current();
  who.textContent = 'I am ' + (me?.username ?? 'nobody');
  const show = async () => {
    const records = await TeamData.find('cards').catch((error) => [{ data: { text: error.code } }]);
    cards.replaceChildren(...records.map(({ data }) => Object.assign(document.createElement('li'), { textContent: data.text })));
  };
  window.add = async () => { await TeamData.create('cards', { text: 'card of ' + me.username.split(' ')[0] }); await show(); };
  TeamData.subscribe('cards', show);
  await show();
</script>`;

let quire: TestApp;
let owner: TestUser;
let member: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  member = await quire.user('mona');
});
afterAll(() => quire.stop());

const check = (page: { id: number | string }, body: unknown, as = owner) =>
  untilDecided(() => as.call('POST', `/api/pages/${page.id}/check`, { body }));

const states = ({ steps }: { steps: Array<{ state: string }> }) => steps.map(({ state }) => state);

describe('steps', () => {
  test('fill in a form, choose, click, press and wait', async () => {
    const page = await owner.publish({ html_content: FORM });
    const { status, body } = await check(page, {
      width: 500,
      steps: [
        { type: { name: 'Title', text: 'Tea & milk' } },
        { type: { name: 'Day', text: '2026-03-01' } },
        { select: { role: 'combobox', name: 'Size', text: 'L' } },
        { click: { role: 'checkbox', name: 'Gift' } },
        { click: { role: 'button', name: 'Add item' } },
        { wait: { text: '"title":"Tea & milk","day":"2026-03-01","size":"L","gift":"on"' } },
        { press: 'Escape' },
        { wait: { text: 'Escaped' } },
      ],
    });
    expect(status).toBe(200);
    expect(body.steps.map(({ step }: { step: string }) => step)).toEqual([
      'type "Tea & milk" into "Title"',
      'type "2026-03-01" into "Day"',
      'select "L" of combobox "Size"',
      'click checkbox "Gift"',
      'click button "Add item"',
      'wait "\\"title\\":\\"Tea & milk\\",\\"day\\":\\"2026-03-01\\",\\"size\\":\\"L\\",\\"gift\\":\\"on\\""',
      'press Escape',
      'wait "Escaped"',
    ]);
    expect(body.steps.filter(({ state }: { state: string }) => state !== 'done')).toEqual([]);
    expect(body.screenshot.width).toBe(500);
    expect(body.errors).toEqual([]);
  }, 60_000);

  test('that are impossible say what was there instead, and end the others', async () => {
    const page = await owner.publish({ html_content: FORM });
    const { body } = await check(page, {
      steps: [{ wait: { role: 'heading', name: 'Order' } }, { click: { name: 'Later' } }, { press: 'Enter' }],
    });
    expect(body.steps).toEqual([
      { step: 'wait heading "Order"', state: 'done' },
      { step: 'click "Later"', state: 'failed', reason: 'The button "Later" is disabled.' },
      { step: 'press Enter', state: 'skipped' },
    ]);
  }, 60_000);

  test('begin at any path of the site, follow its links, and do not leave it', async () => {
    const page = await owner.publish({ html_content: FORM });
    const about = `<!doctype html><title>About</title><p>Since 1999</p><a href="${quire.baseUrl}/login">Log in</a>`;
    const headers = { authorization: `Bearer ${owner.token}` };
    await quire.request(`/api/pages/${page.id}/files/about.html`, { method: 'PUT', headers, body: about });
    const inside = await check(page, { path: 'about.html', steps: [{ wait: { text: 'Since 1999' } }] });
    expect([inside.body.title, states(inside.body)]).toEqual(['About', ['done']]);
    const { body } = await check(page, {
      steps: [
        { click: { role: 'link', name: 'About us' } },
        { wait: { text: 'Since 1999' } },
        { click: { role: 'link', name: 'Log in' } },
        { wait: { role: 'textbox' } },
      ],
    });
    expect(states(body)).toEqual(['done', 'done', 'done', 'failed']);
    expect(body.steps[3].reason).toContain('/login, which is not part of the page.');
  }, 90_000);

  test('have limits', async () => {
    const page = await owner.publish({ html_content: FORM });
    const press = { press: 'Tab' };
    for (const [wrong, field] of [
      [{ steps: Array.from({ length: 21 }, () => press) }, 'steps'],
      [{ steps: [{ ...press, click: { name: 'x' } }] }, 'steps'],
      [{ steps: [{}] }, 'steps'],
      [{ steps: [{ click: {} }] }, 'steps'],
      [{ steps: [{ type: { name: 'Title' } }] }, 'steps'],
      [{ steps: [{ type: { name: 'Title', text: 'x'.repeat(2_001) } }] }, 'steps'],
      [{ steps: [{ ...press, by: 2 }] }, 'steps'],
      [{ as: ['nobody', 'nobody', 'nobody', 'nobody'] }, 'as'],
      [{ as: [] }, 'as'],
      [{ as: 'mona' }, 'as'],
      [{ as: 'member' }, 'as'],
      [{ width: 319 }, 'width'],
      [{ width: 1921 }, 'width'],
      [{ path: 'https://elsewhere.example/' }, 'path'],
      [{ path: 'x'.repeat(501) }, 'path'],
    ] as const) {
      const { status, body } = await owner.call('POST', `/api/pages/${page.id}/check`, { body: wrong });
      expect([wrong, status, body.error]).toEqual([wrong, 400, expect.stringContaining(field)]);
    }
    const most = Array.from({ length: 20 }, () => press);
    expect(states((await check(page, { steps: most, width: 320 })).body)).toHaveLength(20);
  }, 60_000);
});

describe('visitors', () => {
  test('act in turn as the owner, an invented member and nobody, and leave nothing behind', async () => {
    const page = await owner.publish({ html_content: BOARD, storage_mode: 'team_app' });
    const { body: invite } = await owner.call('POST', `/api/pages/${page.id}/team/invite`);
    expect((await member.call('POST', `/api/join/${invite.inviteCode}`)).status).toBe(200);
    const { body } = await check(page, {
      as: ['owner', 'mona', 'nobody'],
      steps: [
        { wait: { text: 'I am owner' } },
        { by: 2, wait: { text: 'I am mona (check' } },
        { by: 3, wait: { text: 'I am nobody' } },
        { click: { role: 'button', name: 'Add' } },
        { wait: { text: 'card of owner' } },
        { by: 2, wait: { text: 'card of owner' } },
        { by: 2, click: { role: 'button', name: 'Add' } },
        { by: 2, wait: { text: 'card of mona' } },
      ],
    });
    expect(body.steps.filter(({ state }: { state: string }) => state !== 'done')).toEqual([]);
    expect(body.steps[1].by).toBe(2);
    // The owner is real, and so is their card.
    const { body: left } = await owner.call('GET', `/api/pages/${page.id}/team-data/cards`);
    expect(left.records.map(({ data }: { data: { text: string } }) => data.text)).toEqual(['card of owner']);
    const { body: team } = await owner.call('GET', `/api/pages/${page.id}/team`);
    expect(team.members.map(({ user }: { user: { username: string } }) => user.username)).toEqual([
      'owner',
      'mona',
    ]);
  }, 90_000);

  test('who were invented before a crash are removed with their records', async () => {
    const page = await owner.publish({ html_content: BOARD, storage_mode: 'social_app' });
    const left = await quire.user('leftover');
    const made = await left.call('POST', `/api/pages/${page.id}/social-data/notes`, {
      body: { data: { text: 'mine' } },
    });
    expect(made.status).toBe(201);
    const records = async () =>
      (await owner.call('GET', `/api/pages/${page.id}/social-data/notes`)).body.total;
    await runSql(quire, `update users set email = 'check-of-${page.id}-ab12@invalid' where id = ${left.id}`);
    await quire.app.sweep();
    expect(await records()).toBe(1);
    quire.advance(6 * 60_000);
    await quire.app.sweep();
    expect(await records()).toBe(0);
    expect((await left.call('GET', '/api/auth/me')).status).toBe(401);
  });
});
