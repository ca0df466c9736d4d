import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { type Actor, type Route, route, seeOther } from '../../../platform/http/index.ts';
import { findRemovalLink } from '../logins/sign-in.ts';
import type { Tried } from './form-screen.ts';

const Query = z.object({
  next: z.string().optional(),
  code: z.string().optional(),
  invite: z.string().optional(),
  /** True if a logged-in user wants to log in with another name. */
  other: z.string().optional(),
});
const Form = z.record(z.string(), z.string());

/** The input of a screen. */
export interface ScreenInput {
  query: z.infer<typeof Query>;
  form: Record<string, string>;
  actor: Actor | undefined;
  address: string;
  request: Request;
}

/** A route of an account screen. */
export function screenRoute(
  method: 'GET' | 'POST',
  path: string,
  handle: (input: ScreenInput) => Promise<Response>,
): Route {
  const summary = `The account page ${path}`;
  if (method === 'GET') {
    return route({
      method,
      path,
      access: { kind: 'screen' },
      summary,
      query: Query,
      handle: (input) => handle({ ...input, form: {} }),
    });
  }
  return route({
    method,
    path,
    access: { kind: 'account door' },
    summary,
    body: Form,
    acceptsForm: true,
    handle: (input) => handle({ ...input, form: input.body, query: {} }),
  });
}

/** Shows the form again with the error, if it is an expected one. */
export async function orAgain<Context, Target>(
  context: Context,
  again: (context: Context, target: Target, tried: Tried) => Promise<Response>,
  target: Target,
  form: Record<string, string>,
  attempt: () => Promise<Response>,
): Promise<Response> {
  try {
    return await attempt();
  } catch (error) {
    const leaving = findRemovalLink(error);
    if (leaving !== undefined) return seeOther(leaving);
    if (error instanceof AppError) return again(context, target, { error, form });
    throw error;
  }
}

/** Reads fields of a form without the space that keyboards of phones add after a word. Passwords are not changed. */
export function pick(form: Record<string, string>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(
    names.map((name) => [name, name === 'password' ? form[name] : form[name]?.trim()]),
  );
}
