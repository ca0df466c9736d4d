import { z } from 'npm:zod@4';
import { render } from './function/render.ts';
import { Store } from './function/store.ts';

/**
 * The notes of a team, and a digest of them every night, which the team can get by mail. Quire calls `scheduled` at the
 * times in page.json, and tells `fetch` which role its caller has in the team.
 */

interface Env {
  DB: D1Database;
  LIVE: { publish(pageId: number, channel: string, message: unknown): Promise<void> };
  MAIL: { send(letter: { to: 'team'; subject: string; text: string; html?: string }): Promise<void> };
}

/** The most characters that a mail can have. */
const MAX_MAIL = { text: 50_000, html: 100_000 };

const Call = z.discriminatedUnion('action', [
  z.object({ action: z.literal('show') }),
  z.object({ action: z.literal('post'), text: z.string().trim().min(1, 'Write something first.').max(500) }),
  z.object({ action: z.literal('remove'), id: z.int() }),
  z.object({
    action: z.literal('configure'),
    title: z.string().trim().min(1, 'The digest needs a name.').max(60),
    minimum: z.int().min(1).max(100),
    mail: z.boolean().default(false),
  }),
  z.object({ action: z.literal('run') }),
]);

/** Who can do what. */
const ROLES: Record<z.infer<typeof Call>['action'], string[]> = {
  show: ['viewer', 'member', 'admin', 'owner'],
  post: ['member', 'admin', 'owner'],
  remove: ['member', 'admin', 'owner'],
  configure: ['admin', 'owner'],
  run: ['admin', 'owner'],
};

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const call = Call.safeParse(await request.json().catch(() => null));
    if (!call.success) return fail(400, call.error.issues[0]?.message ?? 'Unknown action.');
    const role = request.headers.get('x-quire-team-role') ?? '';
    if (!ROLES[call.data.action].includes(role))
      return fail(403, 'Your role in the team does not allow this.');
    const store = await Store.open(env.DB);
    if (call.data.action !== 'show') {
      await store.configure({ page: Number(request.headers.get('x-quire-page-id')) });
      const problem = await change(env, store, call.data, {
        id: Number(request.headers.get('x-quire-user-id')),
        name: decodeURIComponent(request.headers.get('x-quire-user-name') ?? ''),
      });
      if (problem) return fail(409, problem);
      ctx.waitUntil(announce(env, store));
    }
    return Response.json({ success: true, data: await store.show() });
  },

  async scheduled(_: ScheduledController, env: Env): Promise<void> {
    const store = await Store.open(env.DB);
    const problem = await makeDigest(env, store);
    console.log(problem ?? 'Made a digest.');
    await store.removeOld();
    await announce(env, store);
  },
};

/** Returns why the change was not made. */
async function change(
  env: Env,
  store: Store,
  call: Exclude<z.infer<typeof Call>, { action: 'show' }>,
  user: { id: number; name: string },
): Promise<string | undefined> {
  if (call.action === 'post') return store.add(user, call.text);
  if (call.action === 'remove') return store.remove(user, call.id);
  if (call.action === 'run') return makeDigest(env, store);
  return store.configure({ title: call.title, minimum: call.minimum, mail: Number(call.mail) });
}

async function makeDigest(env: Env, store: Store): Promise<string | undefined> {
  const { title, minimum, mail, notes } = await store.show();
  if (notes.length < minimum)
    return `There is no digest: ${notes.length} of ${minimum} notes since the last one.`;
  const html = await render(title, notes, new Date());
  const isAdded = await store.addDigest(notes, html);
  if (!isAdded || !mail) return;
  const text = notes.map((note) => `${note.author}: ${note.text}`).join('\n\n');
  const letter = { text: text.slice(0, MAX_MAIL.text), ...(html.length <= MAX_MAIL.html && { html }) };
  // The digest is there in any case: a server without mail is no reason to make none.
  await env.MAIL.send({ to: 'team', subject: title, ...letter }).catch(({ message }: Error) =>
    console.error(message),
  );
}

/** Only says that something changed: everyone who can see the page can listen, also people outside the team. */
async function announce({ LIVE }: Env, store: Store): Promise<void> {
  const { page } = await store.settings();
  if (page) await LIVE.publish(page, 'digest', 'changed');
}

function fail(status: number, error: string): Response {
  return Response.json({ success: false, error }, { status });
}
