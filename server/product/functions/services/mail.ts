import { email } from '../../../../contract/accounts/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Asker, EnvService, ServicesContext } from './context.ts';
import { findOwner } from './own-api.ts';
import { Letter, WHOLE_TEAM } from './questions.ts';
import { readTeam } from './team.ts';

const PER_FUNCTION = { points: 30, seconds: 3600 };
const PER_OWNER = { points: 200, seconds: 24 * 3600 };

/** `env.MAIL`: mail to the owner of the function's page, and to members of its team. */
export function createMailService(context: ServicesContext): EnvService<typeof Letter> {
  const { db, limits, mail } = context;
  const perFunction = limits.limit(
    'function mail',
    PER_FUNCTION,
    'This function has sent mail {points} times in the last hour, which is the limit. Try again {wait}.',
  );
  const perOwner = limits.limit(
    'function mail by owner',
    PER_OWNER,
    'Your functions can send {points} mails in a day, and this would be more. Try again {wait}.',
  );
  return {
    question: Letter,
    async run(asker, { to, subject, text, html }) {
      const { asking, page } = asker;
      if (asking.branchSlug !== null) {
        await perFunction.take(String(asking.id));
        const kept = { to: to ?? [], subject, text, html };
        await db.transaction().execute((tx) => context.keepMail(tx, page.id, kept));
        return new Response(null, { status: 204 });
      }
      if (!mail.isConfigured)
        throw new AppError('UNAVAILABLE', 'This server sends no mail. Ask the people who run it.');
      const addresses =
        to === WHOLE_TEAM ? await findTeam(context, asker) : [await findAddress(context, asker, to)];
      await perFunction.take(String(asking.id));
      await takeAll(perOwner, String(asking.ownerId), addresses.length);
      const message = {
        ...{ kind: 'function mail' as const, pageName: page.name, subject, text },
        ...(html !== undefined && { html }),
      };
      const isAnySent = await db.transaction().execute(async (tx) => {
        let isAny = false;
        for (const address of addresses)
          isAny = (await mail.send(tx, { to: address, message, userId: asking.ownerId })) || isAny;
        return isAny;
      });
      if (!isAnySent) throw fullInbox();
      return new Response(null, { status: 204 });
    },
  };
}

/** The addresses of the owner and all members of the team, who have confirmed theirs. */
async function findTeam(context: ServicesContext, asker: Asker): Promise<string[]> {
  const team = await readTeam(context, asker);
  const addresses = await context.listConfirmedEmails(
    context.db,
    team.map(({ userId }) => userId),
  );
  if (addresses.length === 0)
    throw new AppError('FORBIDDEN', 'Nobody in the team of this page has confirmed their e-mail address.');
  if (addresses.length > PER_OWNER.points)
    throw new AppError(
      'FORBIDDEN',
      'The team of this page has more than {count} people, and all your functions can send that many mails in a day.',
      { count: PER_OWNER.points },
    );
  // In one order: two functions that write to the same people must not wait for each other.
  return addresses.toSorted();
}

/** Takes all points, or none. */
async function takeAll(limit: Limit, key: string, points: number): Promise<void> {
  try {
    await limit.take(key, points);
  } catch (error) {
    await limit.giveBack(key, points);
    throw error;
  }
}

const fullInbox = () =>
  new AppError(
    'RATE_LIMITED',
    'This address has got as many mails from functions as it can for now. Try again in an hour.',
    {},
    { headers: { 'retry-after': '3600' } },
  );

/** The address of the owner or of a member of the team, which they have confirmed. */
async function findAddress(
  context: ServicesContext,
  asker: Asker,
  given: string | undefined,
): Promise<string> {
  const { db, pages, findReachable, config } = context;
  const { page } = asker;
  const to = given ?? (await findOwner(context, asker)).username;
  const person = await findReachable(db, to.trim().toLowerCase());
  if (person && (await pages.resolveRole(db, page, { userId: person.userId })) !== undefined)
    return person.email;
  const address = email.safeParse(to.trim());
  if (config.functionMail === 'anyone' && address.success) return address.data;
  // People without an account get the same error, so that a function cannot find out who has one.
  throw new AppError(
    'FORBIDDEN',
    '{to} is not the owner of the page or a member of its team with a confirmed e-mail address. This server sends mail of functions to those only.',
    { to: JSON.stringify(to) },
  );
}
