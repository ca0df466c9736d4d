import { email } from '../../../../contract/accounts/accounts.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Asker, EnvService, ServicesContext } from './context.ts';
import { findOwner } from './own-api.ts';
import { Letter } from './questions.ts';

const PER_FUNCTION = { points: 30, seconds: 3600 };
const PER_OWNER = { points: 200, seconds: 24 * 3600 };

/** `env.MAIL`: mail to the owner of the function's page, and to members of its team. */
export function createMailService(context: ServicesContext): EnvService<typeof Letter> {
  const { db, limits, mail } = context;
  const perFunction = limits.limit(
    'function mail',
    PER_FUNCTION,
    'This function has sent {points} mails in the last hour, which is the limit. Try again {wait}.',
  );
  const perOwner = limits.limit(
    'function mail by owner',
    PER_OWNER,
    'Your functions have sent {points} mails in the last day, which is the limit. Try again {wait}.',
  );
  return {
    question: Letter,
    async run(asker, { to, subject, text, html }) {
      const { asking, page } = asker;
      if (!mail.isConfigured)
        throw new AppError('UNAVAILABLE', 'This server sends no mail. Ask the people who run it.');
      const address = await findAddress(context, asker, to);
      await perFunction.take(String(asking.id));
      await perOwner.take(String(asking.ownerId));
      const message = {
        ...{ kind: 'function mail' as const, pageName: page.name, subject, text },
        ...(html !== undefined && { html }),
      };
      const isSent = await db
        .transaction()
        .execute((tx) => mail.send(tx, { to: address, message, userId: asking.ownerId }));
      if (!isSent)
        throw new AppError(
          'RATE_LIMITED',
          'This address has got as many mails from functions as it can for now. Try again in an hour.',
          {},
          { headers: { 'retry-after': '3600' } },
        );
      return new Response(null, { status: 204 });
    },
  };
}

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
